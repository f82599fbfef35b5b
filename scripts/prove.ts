import { parseArgs } from 'node:util';
import { mutateOnLoad } from '#test/catalog/proof/mutating.ts';
import { mutations } from '#test/catalog/proof/mutations.ts';

const HELP = `Proves that lists agree with the table: writes random changes to the embedded engine through the service's data layer,
lets several processes follow them, and compares every result with a full read of the table.

  node scripts/prove.ts [--seed 1] [--queries 5000] [--mutation <name>]

Prints statistics and exits with 0 when there is no difference; prints the first difference or failure and exits with 1
otherwise. The same seed reproduces the same run. --mutation introduces a defect while its source is loaded;
scripts/mutate.ts lists the defects. 100,000 queries take some minutes.
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
  mutateOnLoad(mutation);
}
// Imported after the mutation is registered, which affects later imports only.
const { prove } = await import('#test/catalog/proof/proof.ts');
try {
  const tally = await prove({ seed: Number(values.seed), queries: Number(values.queries) });
  console.log(JSON.stringify(tally));
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
  process.exitCode = 1;
}
