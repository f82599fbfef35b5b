import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparison } from '#test/infra/permissions.ts';
import { type Coverage, coverageIn, SEEN_FOLDER } from '#test/support/answers-seen.ts';
import { CALLS_FOLDER, callsIn } from '#test/support/aws-calls.ts';
import { run } from './run.ts';

const HELP = `npm test [-- <arguments of vitest>]

The steps of npm run check, then every test, then which answers of the document no test has seen, which calls of AWS no role
allows and which rights no function uses, then the totals in one line. With arguments the tests may be some of all: then
nothing is asked of what they have not seen.
  npm test -- test/openapi        the tests below a folder, or whose file is named so
  npm test -- test/http -t slug   of these the ones whose name has this text in it
  --help                          this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

interface VitestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const totalsOf = (report: VitestReport): Totals => {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of report.testResults) {
    const failedBefore = totals.failed;
    for (const test of assertionResults) {
      if (test.status === 'passed') totals.passed += 1;
      else if (test.status === 'failed') totals.failed += 1;
      else totals.skipped += 1;
    }
    // A file that cannot be loaded, or whose set-up fails, has no failed test to show for it.
    if (status === 'failed' && totals.failed === failedBefore) totals.failed += 1;
  }
  return totals;
};

const readReport = (file: string): VitestReport | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  } catch {
    return undefined;
  }
};

const coverageLines = ({ documented, missing }: Coverage): string[] => [
  `${documented - missing.length} of ${documented} documented answers exercised; not exercised: ${missing.length === 0 ? 'none' : ''}`,
  ...missing.map((name) => `  ${name}`),
];

const permissionLines = ({ rights, refused, idle }: Comparison, isWhole: boolean): string[] => [
  `calls of AWS that the role of their function does not allow: ${refused.length === 0 ? 'none' : ''}`,
  ...refused.map((call) => `  ${call}`),
  ...(isWhole
    ? [
        `${rights - idle.length} of ${rights} rights of functions used; not used: ${idle.length === 0 ? 'none' : ''}`,
        ...idle.map((right) => `  ${right}`),
      ]
    : []),
];

/** Holds what was called against a synthesized stage; it is loaded only here, because that takes its time. */
const comparePermissions = async (calls: string): Promise<Comparison> => {
  const { compare } = await import('#test/infra/permissions.ts');
  const { deployment } = await import('#test/rehearsal/deployment.ts');
  return compare(deployment, callsIn(calls));
};

const folder = mkdtempSync(join(tmpdir(), 'directory-test-'));
const file = join(folder, 'report.json');
const seenFolder = join(folder, 'seen');
const callsFolder = join(folder, 'calls');
for (const one of [seenFolder, callsFolder]) mkdirSync(one);
process.env[SEEN_FOLDER] = seenFolder;
process.env[CALLS_FOLDER] = callsFolder;
const isWhole = process.argv.length === 2;
// The laws are a part of the tests, so the check need not run them too.
const check = await run('check', ['--skip', 'laws'], { show: true });
const tests = await run(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...process.argv.slice(2)],
  { show: true },
);
const report = readReport(file);
const coverage = coverageIn(seenFolder);
const permissions = await comparePermissions(callsFolder);
rmSync(folder, { recursive: true });

const totals = report ? totalsOf(report) : { passed: 0, failed: 0, skipped: 0 };
// Nothing may end well with nothing to show: errors outside of tests and a failed check count as one failure each.
if (!tests.ok && totals.failed === 0) totals.failed += 1;
if (!check.ok) {
  console.log('\nThe check failed; see above.');
  totals.failed += 1;
}
if (isWhole) {
  console.log(`\n${coverageLines(coverage).join('\n').trimEnd()}`);
  if (coverage.missing.length > 0) totals.failed += 1;
}
console.log(`\n${permissionLines(permissions, isWhole).join('\n').trimEnd()}`);
if (permissions.refused.length > 0 || (isWhole && permissions.idle.length > 0)) totals.failed += 1;
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0;
