import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { root } from './run.ts';

/** A part of `npm run test:full`. */
export interface Proof {
  readonly name: string;
  /** What it shows, for `--help`. */
  readonly shows: string;
  /** Patterns of its test files. A file belongs to the first proof with a pattern that it matches, so no test runs twice. */
  readonly files: readonly string[];
  /** Whether coverage counts the responses and AWS calls of its tests; quick tests take part then too. */
  readonly isCounted?: true;
  /** How many processes run its files, unless 4: more for tests that wait most of the time, fewer for browsers. */
  readonly workers?: number;
}

/** In the order in which they run. */
export const proofs: readonly Proof[] = [
  {
    name: 'faults',
    shows: 'every dependency fails in every way: responses are in time, and nothing is lost or doubled',
    files: [
      'test/faults/*',
      'test/http/protocol/{throttling,writes-after-timeout,full-disk,issuer-unavailable,rate-counter*}.full.test.ts',
      'test/http/**/{unavailable,feed-faults}.full.test.ts',
    ],
    isCounted: true,
    workers: 8,
  },
  {
    name: 'crash',
    shows: 'processes are killed at any moment, and start again without a loss',
    files: [
      'test/local/{crash,start-and-stop,schedules}.full.test.ts',
      'test/http/**/{crashes,interrupted,interrupted-*,revert-in-background,orphaned-data}.full.test.ts',
    ],
    isCounted: true,
  },
  {
    name: 'chaos',
    shows: 'random sequences of writes, some of them interrupted, end as in a plain implementation',
    files: ['test/{catalog,csv,data,mail,platform,services}/**', 'test/http/fields/changes.full.test.ts'],
  },
  {
    name: 'generated',
    shows: 'every operation answers generated requests, and every route the same cases, as the document says',
    files: ['test/http/protocol/generated-*.full.test.ts', 'test/invariants/*'],
    isCounted: true,
  },
  {
    name: 'bundles',
    shows: 'every function as it is deployed, and the templates of every kind of stage',
    files: ['test/bundles/*', 'test/infra/*'],
    isCounted: true,
  },
  {
    name: 'package',
    shows: 'the npm package in an empty project, and the commands that start the service',
    files: ['test/package/*', 'test/local/*'],
  },
  {
    name: 'operations',
    shows: 'the scripts that check, measure and deploy a stage, and the contract on a running server',
    files: ['test/operations/*', 'test/conformance/**'],
  },
  {
    name: 'console',
    shows: 'the console and the public pages in a browser',
    files: ['test/console/*'],
    workers: 3,
  },
  {
    name: 'domains',
    shows: 'the behaviour over HTTP: concurrency, large amounts, deadlines, special settings',
    files: ['test/http/**'],
    isCounted: true,
  },
];

/** After the proofs: what only all of them together cover. */
export const COVERAGE = 'coverage';

/** Whether a file has tests that `npm test` leaves out. */
const isLong = (file: string): boolean =>
  /\.full\.test\.ts$|^test\/conformance\//.test(file) ||
  /\b(?:longTest|isFullRun|sampleOf)\b/.test(readFileSync(join(root, file), 'utf8'));

const testFiles = globSync('test/**/*.test.ts', { cwd: root }).toSorted();

/** The proof of a file. */
export const proofOf = (file: string): Proof | undefined =>
  proofs.find(({ files }) => files.some((pattern) => matchesGlob(file, pattern)));

/** Test files that need a proof: `npm test` does not run all of their tests. */
export const longFiles: ReadonlySet<string> = new Set(testFiles.filter(isLong));

/** The files of a proof: the long ones, and those that coverage needs. */
export const filesOf = (name: string): readonly string[] =>
  testFiles.filter((file) => {
    const proof = proofOf(file);
    return proof?.name === name && (proof.isCounted === true || longFiles.has(file));
  });
