import { parseArgs } from 'node:util';
import { fits } from '#test/catalog/proof/mutating.ts';
import { type Mutation, mutations } from '#test/catalog/proof/mutations.ts';
import { type ProofRun, runProof, runUntilNoticed } from '#test/catalog/proof/run.ts';

const HELP = `Breaks the catalog in one place after the other and shows that its proof notices each.

  node scripts/mutate.ts [--only overlap,tombstones] [--queries 5000] [--seeds 3] [--at-once 2]

Each mutation is an exact replacement in one source file, made while that file is loaded: nothing on disk is changed. The
proof runs once as things are, and then with each mutation and up to so many seeds until something is noticed. Prints a
table; ends with 1 when the proof does not hold by itself, or when a mutation goes unnoticed.

Mutations:
${mutations.map(({ name, breaks }) => `  ${name.padEnd(20)} ${breaks}`).join('\n')}
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    queries: { type: 'string', default: '5000' },
    seeds: { type: 'string', default: '3' },
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
const wanted = values.only?.split(',');
const unknown = wanted?.filter((name) => !mutations.some((mutation) => mutation.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no mutation ${unknown.join(', ')}; --help lists them.`);
  process.exit(1);
}
const chosen = mutations.filter(({ name }) => wanted?.includes(name) ?? true);

const LINE = 90;
const shortened = (says: string): string => (says.split('\n')[0] ?? '').slice(0, LINE);
const row = (name: string, outcome: string, { seed, seconds, says }: ProofRun): void =>
  console.log(
    `${name.padEnd(20)} ${outcome.padEnd(10)} ${String(seed).padStart(4)} ${seconds.toFixed(1).padStart(6)}  ${shortened(says)}`,
  );

console.log(`${'mutation'.padEnd(20)} ${'outcome'.padEnd(10)} seed      s  first difference`);
const sound = await runProof(seeds[0] ?? 1, queries);
row('(none)', sound.holds ? 'holds' : 'DIFFERS', sound);
if (!sound.holds) {
  console.error(`\nThe proof does not hold as things are:\n${sound.says}`);
  process.exit(1);
}

const unnoticed: string[] = [];
const rest = chosen.values();
const work = async (): Promise<void> => {
  for (const mutation of rest as Iterable<Mutation>) {
    if (!fits(mutation)) {
      unnoticed.push(mutation.name);
      console.log(`${mutation.name.padEnd(20)} DOES NOT FIT ${mutation.file} any more: mend its text in mutations.ts`);
      continue;
    }
    const run = await runUntilNoticed(mutation, queries, seeds);
    if (run.holds) unnoticed.push(mutation.name);
    row(mutation.name, run.holds ? 'UNNOTICED' : 'noticed', run);
  }
};
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
console.log(`\n${chosen.length - unnoticed.length} of ${chosen.length} mutations noticed.`);
if (unnoticed.length > 0) process.exitCode = 1;
