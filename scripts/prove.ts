import { parseArgs } from 'node:util';
import { loadMutated } from '#test/catalog/proof/mutating.ts';
import { mutations } from '#test/catalog/proof/mutations.ts';

const HELP = `Proves that lists never lie: random changes go through the embedded engine by the ways in which the service writes,
several processes follow them, and every answer is compared with a full read of the table.

  node scripts/prove.ts [--seed 1] [--queries 5000] [--mutation <name>]

Ends with 0 when there is no difference, and prints what was done; with 1 at the first difference or failure, and prints it.
The same seed comes to it again. With --mutation one thing is broken while its source is loaded; scripts/mutate.ts lists
what there is. A hundred thousand queries take some minutes.
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '5000' },
    mutation: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.mutation !== undefined) {
  const mutation = mutations.find(({ name }) => name === values.mutation);
  if (!mutation) throw new Error(`There is no mutation "${values.mutation}".`);
  loadMutated(mutation);
}
// Only now: what is imported here is what the mutation is about.
const { prove } = await import('#test/catalog/proof/proof.ts');
try {
  const tally = await prove({ seed: Number(values.seed), queries: Number(values.queries) });
  console.log(JSON.stringify(tally));
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
