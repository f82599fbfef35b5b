import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { features } from '#contract/route.ts';
import type { Comparison } from '#test/infra/permissions.ts';
import { CALLS_FOLDER, readCalls } from '#test/support/aws-calls.ts';
import { NEEDS_FEATURE, WITHOUT_FEATURE } from '#test/support/feature-run.ts';
import { type Coverage, RESPONSES_FOLDER, readCoverage } from '#test/support/responses-seen.ts';
import { run } from './run.ts';

/** Runs tests, counts them, and compares the responses and AWS calls that they have seen with the document and with the roles. */

/** Ends the process because of an argument. */
export const failUsage = (message: string): never => {
  console.error(message);
  process.exit(1);
};

/** Ends the process when there is no folder for the temporary files of the tests. */
export const requireTemporaryFolder = (): void => {
  try {
    rmSync(mkdtempSync(join(tmpdir(), 'directory-test-')), { recursive: true });
  } catch (error) {
    failUsage(
      `Tests need a folder for temporary files: ${(error as Error).message}. Set TMPDIR to a folder that you can write to.`,
    );
  }
};

/** Numbers of tests. An error outside of tests counts as a failed one. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

interface VitestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const totalsOf = ({ testResults }: VitestReport): Totals => {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, message, assertionResults } of testResults) {
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

/** In words, for the last line of a run. */
export const inWords = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** What the tests of some runs have recorded, compared with the document and with a synthesized stage. */
export interface Recording {
  readonly coverage: Coverage;
  readonly permissions: Comparison;
  /** The number of handlers whose AWS calls were recorded. */
  readonly handlers: number;
}

/** A folder in which tests record responses and AWS calls, when they run with these variables. */
export const startRecording = () => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-test-'));
  const [responses, calls] = [join(folder, 'responses'), join(folder, 'calls')];
  for (const one of [responses, calls]) mkdirSync(one);

  const read = async (): Promise<Recording> => {
    // These are slow to import.
    const { compare } = await import('#test/infra/permissions.ts');
    const { deployment } = await import('#test/bundles/deployment.ts');
    const seen = readCalls(calls);
    return { coverage: readCoverage(responses), permissions: compare(deployment, seen), handlers: seen.size };
  };
  const end = (): void => rmSync(folder, { recursive: true });
  return { env: { [RESPONSES_FOLDER]: responses, [CALLS_FOLDER]: calls }, read, end };
};

/** The variables of a run of tests. */
export type Environment = Readonly<Record<string, string>>;

/**
 * Runs Vitest and shows its output.
 * @param args names of files, and options of Vitest.
 */
export const runTests = async (
  args: readonly string[],
  env: Environment,
): Promise<{ totals: Totals; seconds: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-report-'));
  const file = join(folder, 'report.json');
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { ok, seconds } = await run('vitest', ['run', ...options, ...args], { show: true, env });
  const report = readReport(file);
  rmSync(folder, { recursive: true });
  const totals = report ? totalsOf(report) : { passed: 0, failed: 0, skipped: 0 };
  // Without a feature, Vitest counts files as failed whose tests are skipped.
  if (!ok && totals.failed === 0 && env[WITHOUT_FEATURE] === undefined) totals.failed = 1;
  return { totals, seconds };
};

const listed = (heading: string, names: readonly string[]): string =>
  names.length === 0 ? `${heading}: none` : [`${heading}:`, ...names.map((name) => `  ${name}`)].join('\n');

/** The calls that would fail when deployed, which any tests can find. */
export const refusedInWords = ({ permissions }: Recording): string =>
  listed("AWS calls that the function's role does not allow", permissions.refused);

/** What only all tests together cover. */
export const coverageInWords = ({ coverage, permissions }: Recording): string => {
  const { documented, missing } = coverage;
  const { rights, idle } = permissions;
  return [
    listed(`${documented - missing.length} of ${documented} documented responses seen by tests; not seen`, missing),
    listed(`${rights - idle.length} of ${rights} permissions of functions used; unused`, idle),
  ].join('\n');
};

/**
 * Runs tests, and says which AWS calls no role allows.
 * @param args names of files, options of Vitest, and `--without` with a feature.
 */
export const runSelected = async (args: readonly string[], env: Environment = {}): Promise<Totals> => {
  const at = args.indexOf('--without');
  const feature = features.find((one) => one === args[at + 1]);
  if (at >= 0 && feature === undefined) failUsage(`--without needs one of ${features.join(', ')}.`);
  const others = at < 0 ? args : args.toSpliced(at, 2);
  const isNamed = others.some((one) => !one.startsWith('-'));
  const recording = startRecording();
  const { totals } = await runTests(at < 0 || isNamed ? others : [...others, 'test/http'], {
    ...env,
    ...recording.env,
    ...(feature && { [WITHOUT_FEATURE]: feature }),
  });
  const recorded = await recording.read();
  recording.end();
  console.log(`\n${refusedInWords(recorded)}`);
  if (recorded.permissions.refused.length > 0) totals.failed += 1;
  const isWhole = args.every((arg) => arg.startsWith('--project='));
  if (isWhole && recorded.handlers === 0) {
    console.log('The tests have recorded no AWS call, so none was checked.');
    totals.failed += 1;
  }
  return totals;
};
