import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { features } from '#contract/route.ts';
import type { Comparison } from '#test/infra/permissions.ts';
import { CALLS_FOLDER, readCalls } from '#test/support/aws-calls.ts';
import { NEEDS_FEATURE, WITHOUT_FEATURE } from '#test/support/feature-run.ts';
import { type Coverage, RESPONSES_FOLDER, readCoverage } from '#test/support/responses-seen.ts';
import { FULL_RUN } from '#test/support/sample.ts';
import { run } from './run.ts';

const HELP = `npm test [-- <arguments of vitest>]
npm run test:full [-- <arguments of vitest>]
npm test -- --without <feature> [<arguments of vitest>]

npm test runs the steps of npm run check, then the daily tests. It also fails when a function calls AWS without the permission.
npm run test:full runs all tests: also the long ones (longTest) and the long proofs (files *.full.test.ts), such as crash and chaos runs,
every bundle in isolation, and test/conformance. Where npm test has a sample of routes and generated requests, it has all.
A whole run also fails when no test has seen a documented response, and when a function has a permission that no test uses.
With --without a feature (${features.join(', ')}), the tests over HTTP run while it is
switched off, without the check. Tests that use it, by the table of routes, are skipped; the others must pass.
  npm test -- test/openapi        the tests in a folder, or in files with this name
  npm test -- test/http -t slug   of these, the tests whose name contains this text
  --help                          this text`;

const isFull = process.argv.includes('--full');
const optionAt = process.argv.indexOf('--without');
const without = optionAt < 0 ? undefined : process.argv[optionAt + 1];
const given = process.argv
  .slice(2)
  .filter((argument) => !['--full', '--without'].includes(argument) && argument !== without);

if (given.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

if (optionAt >= 0 && !features.some((feature) => feature === without)) {
  console.error(`--without needs one of ${features.join(', ')}.`);
  process.exit(1);
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
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const totalsOf = (report: VitestReport): Totals => {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, message, assertionResults } of report.testResults) {
    if (status === 'failed' && message?.includes(NEEDS_FEATURE)) {
      // What all tests of the file share needs the feature.
      totals.skipped += assertionResults.length;
      continue;
    }
    const failedBefore = totals.failed;
    for (const test of assertionResults) {
      if (test.status === 'passed') totals.passed += 1;
      else if (test.status === 'failed') totals.failed += 1;
      else totals.skipped += 1;
    }
    // A file that cannot be loaded, or whose setup fails, reports no failed test.
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
  `${documented - missing.length} of ${documented} documented responses seen by tests; not seen: ${missing.length === 0 ? 'none' : ''}`,
  ...missing.map((name) => `  ${name}`),
];

const permissionLines = ({ rights, refused, idle }: Comparison, isWhole: boolean): string[] => [
  `AWS calls that the function's role does not allow: ${refused.length === 0 ? 'none' : ''}`,
  ...refused.map((call) => `  ${call}`),
  ...(isWhole
    ? [
        `${rights - idle.length} of ${rights} permissions of functions used; unused: ${idle.length === 0 ? 'none' : ''}`,
        ...idle.map((right) => `  ${right}`),
      ]
    : []),
];

/** Compares the recorded calls with a synthesized stage, which is slow to import. */
const comparePermissions = async (calls: string): Promise<Comparison> => {
  const { compare } = await import('#test/infra/permissions.ts');
  const { deployment } = await import('#test/bundles/deployment.ts');
  return compare(deployment, readCalls(calls));
};

const folder = mkdtempSync(join(tmpdir(), 'directory-test-'));
const file = join(folder, 'report.json');
const seenFolder = join(folder, 'seen');
const callsFolder = join(folder, 'calls');
for (const one of [seenFolder, callsFolder]) mkdirSync(one);
process.env[RESPONSES_FOLDER] = seenFolder;
process.env[CALLS_FOLDER] = callsFolder;
if (isFull) process.env[FULL_RUN] = 'on';
if (without !== undefined) process.env[WITHOUT_FEATURE] = without;
const isWhole = given.length === 0 && without === undefined;
// The invariants are among the tests, so the check need not run them too.
const check =
  isFull || without !== undefined ? { ok: true } : await run('check', ['--skip', 'invariants'], { show: true });
const tested = without !== undefined && given.length === 0 ? ['test/http'] : given;
const projects = isFull ? [] : ['--project=shared', '--project=separate', '--project=console'];
const tests = await run(
  'vitest',
  ['run', ...projects, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...tested],
  { show: true },
);
const report = readReport(file);
const coverage = readCoverage(seenFolder);
const permissions = await comparePermissions(callsFolder);
rmSync(folder, { recursive: true });

const totals = report ? totalsOf(report) : { passed: 0, failed: 0, skipped: 0 };
// Errors outside of tests and a failed check count as one failure each.
if (!tests.ok && totals.failed === 0 && without === undefined) totals.failed += 1;
if (!check.ok) {
  console.log('\nThe check failed; see above.');
  totals.failed += 1;
}
if (isWhole && isFull) {
  console.log(`\n${coverageLines(coverage).join('\n').trimEnd()}`);
  if (coverage.missing.length > 0) totals.failed += 1;
}
console.log(
  `\n${permissionLines(permissions, isWhole && isFull)
    .join('\n')
    .trimEnd()}`,
);
if (permissions.refused.length > 0 || (isWhole && isFull && permissions.idle.length > 0)) totals.failed += 1;
const whySkipped =
  without === undefined ? 'npm run test:full runs the long tests too' : `they use ${without}, or are long`;
const hint = isFull || totals.skipped === 0 ? '' : `; ${whySkipped}`;
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped${hint}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
