import { parseArgs } from 'node:util';
import { fits } from '#test/catalog/proof/mutating.ts';
import { type Mutation, mutations } from '#test/catalog/proof/mutations.ts';
import { type ProofRun, runProof, runUntilDetected } from '#test/catalog/proof/run.ts';

const HELP = `Introduces one defect after the other into the catalog and checks that its proof detects each.

  node scripts/mutate.ts [--only overlap,tombstones] [--queries 5000] [--seeds 6] [--at-once 2]

A mutation is an exact replacement in one source file while that file is loaded; files are not changed. The proof runs once
without a mutation and then with each, with up to --seeds seeds until it is detected, --at-once of them concurrently. Prints
a table; exits with 1 when the proof fails without a mutation or a mutation is not detected.

Mutations:
${mutations.map(({ name, breaks }) => `  ${name.padEnd(20)} ${breaks}`).join('\n')}
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    queries: { type: 'string', default: '5000' },
    seeds: { type: 'string', default: '6' },
    'at-once': { type: 'string', default: '2' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const queries = Number(values.queries);
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const selected = values.only?.split(',');
const unknownNames = selected?.filter((name) => !mutations.some((mutation) => mutation.name === name)) ?? [];
if (unknownNames.length > 0) {
  console.error(`There is no mutation ${unknownNames.join(', ')}; --help lists them.`);
  process.exit(1);
}
const chosen = mutations.filter(({ name }) => selected?.includes(name) ?? true);

const LINE = 90;
const firstLine = (output: string): string => (output.split('\n')[0] ?? '').slice(0, LINE);
const row = (name: string, outcome: string, { seed, seconds, output }: ProofRun): void =>
  console.log(
    `${name.padEnd(20)} ${outcome.padEnd(10)} ${String(seed).padStart(4)} ${seconds.toFixed(1).padStart(6)}  ${firstLine(output)}`,
  );

console.log(`${'mutation'.padEnd(20)} ${'outcome'.padEnd(10)} seed      s  first difference`);
const baseline = await runProof(seeds[0] ?? 1, queries);
row('(none)', baseline.holds ? 'holds' : 'DIFFERS', baseline);
if (!baseline.holds) {
  console.error(`\nThe proof fails without a mutation:\n${baseline.output}`);
  process.exit(1);
}

const undetected: string[] = [];
const rest = chosen.values();
const work = async (): Promise<void> => {
  for (const mutation of rest as Iterable<Mutation>) {
    if (!fits(mutation)) {
      undetected.push(mutation.name);
      console.log(`${mutation.name.padEnd(20)} DOES NOT MATCH ${mutation.file}: update its text in mutations.ts`);
      continue;
    }
    const run = await runUntilDetected(mutation, queries, seeds);
    if (run.holds) undetected.push(mutation.name);
    row(mutation.name, run.holds ? 'UNDETECTED' : 'detected', run);
  }
};
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
console.log(`\n${chosen.length - undetected.length} of ${chosen.length} mutations detected.`);
if (undetected.length > 0) process.exitCode = 1;
