import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Coverage, coverageIn, SEEN_FOLDER } from '#test/support/answers-seen.ts';
import { run } from './run.ts';

/**
 * `npm test [-- <arguments of vitest>]`: the steps of the check, then every test, then which answers of the document no test
 * has seen, then the totals in one line. With arguments the tests may be some of all, so nothing is asked of what they see.
 */

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

const folder = mkdtempSync(join(tmpdir(), 'directory-test-'));
const file = join(folder, 'report.json');
const seenFolder = join(folder, 'seen');
mkdirSync(seenFolder);
process.env[SEEN_FOLDER] = seenFolder;
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
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0;
