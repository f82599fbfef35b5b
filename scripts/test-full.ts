import { FULL_RUN, SEED } from '#test/support/sample.ts';
import { COVERAGE, filesOf, type Proof, proofs } from './proofs.ts';
import {
  coverageInWords,
  failUsage,
  inWords,
  refusedInWords,
  requireTemporaryFolder,
  runSelected,
  runTests,
  startRecording,
  type Totals,
} from './tests.ts';

const names = [...proofs.map(({ name }) => name), COVERAGE];
const width = Math.max(...names.map((name) => name.length));

const HELP = `npm run test:full [-- [<proof>...] [--seed <number>]]
npm run test:full -- <arguments of vitest>
npm run test:full -- --without <feature> [<arguments of vitest>]

Runs the long proofs one after the other, also after one has failed, and lists their results:
${proofs.map(({ name, shows }) => `  ${name.padEnd(width)}  ${shows}`).join('\n')}
  ${COVERAGE.padEnd(width)}  the tests of ${proofs.flatMap(({ name, isCounted }) => (isCounted ? [name] : [])).join(', ')}, quick ones too, have
  ${' '.repeat(width)}  received every documented response and used every permission of every function
--seed gives other random input than the default, 1.
With names of folders or files, or with a feature that is switched off, it runs tests like npm test, the long ones too.
  npm run test:full -- faults crash              two proofs
  npm run test:full -- test/http/imports         the tests in a folder
  --help                                         this text`;

const given = process.argv.slice(2);
if (given.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const seedAt = given.indexOf('--seed');
const seed = seedAt < 0 ? 1 : Number(given[seedAt + 1]);
if (!Number.isSafeInteger(seed)) failUsage('--seed needs an integer.');
const selected = seedAt < 0 ? given : given.toSpliced(seedAt, 2);
requireTemporaryFolder();
const env = { [FULL_RUN]: 'on', [SEED]: String(seed) };

/** A line of the table. */
interface Row {
  readonly name: string;
  readonly isRed: boolean;
  /** What was counted. */
  readonly counts: string;
  readonly seconds: number;
}

const printTable = (rows: readonly Row[]): void => {
  const lines = [
    ['proof', 'result', 'seconds', 'counts', 'repeat with'],
    ...rows.map(({ name, isRed, counts, seconds }) => [
      name,
      isRed ? 'FAILED' : 'passed',
      seconds.toFixed(0),
      counts,
      `npm run test:full -- ${name} --seed ${seed}`,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
};

/** Runs proofs, and coverage if it is wanted. @returns the sum of their tests. */
const runProofs = async (wanted: readonly Proof[], isCovered: boolean): Promise<Totals> => {
  const recording = startRecording();
  const rows: Row[] = [];
  const sum: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const [position, { name, shows, isCounted, workers = 4 }] of wanted.entries()) {
    console.log(`\nProof ${position + 1} of ${wanted.length}, ${name}: ${shows}`);
    const { totals, seconds } = await runTests([...filesOf(name), `--maxWorkers=${workers}`], {
      ...env,
      ...(isCounted && recording.env),
    });
    rows.push({ name, isRed: totals.failed > 0, counts: inWords(totals), seconds });
    for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += totals[key];
  }
  const started = performance.now();
  const recorded = await recording.read();
  recording.end();
  const { coverage, permissions } = recorded;
  const refused = permissions.refused.length;
  console.log(`\n${refusedInWords(recorded)}`);
  if (isCovered) console.log(coverageInWords(recorded));
  if (isCovered || refused > 0) {
    const missing = isCovered ? coverage.missing.length + permissions.idle.length : 0;
    const isRed = missing + refused > 0;
    const counts = `${missing} responses or permissions not seen, ${refused} calls refused`;
    rows.push({ name: COVERAGE, isRed, counts, seconds: (performance.now() - started) / 1000 });
    if (isRed) sum.failed += 1;
  }
  console.log('');
  printTable(rows);
  return sum;
};

const areProofs = selected.every((one) => names.includes(one));
const isCovered = selected.length === 0 || selected.includes(COVERAGE);
const isWanted = ({ name, isCounted }: Proof): boolean =>
  selected.length === 0 || selected.includes(name) || (isCovered && isCounted === true);
const totals = areProofs ? await runProofs(proofs.filter(isWanted), isCovered) : await runSelected(selected, env);
console.log(`\n${inWords(totals)}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
