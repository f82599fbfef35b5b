import { existsSync, globSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { compileFunction } from '#lib/compilation/compile.ts';

const HELP = `node scripts/compile.ts

Compiles every function in dist/functions to dist/compiled, where \`cdk deploy\` takes it from as long as the bundles stay as
they are. A compiled function starts sooner by a third, because V8 finds its work done; but only where the Node that runs it
is the one that compiled it, on the same kind of processor. Elsewhere it starts as if it had not been compiled. So this is
run by the Node of functions itself, in its image on an arm64 machine:

  npm run bundle
  mkdir -p dist/compiled
  docker run --rm --network none --user "$(id -u):$(id -g)" --entrypoint node \\
    -v "$PWD:/work:ro" -v "$PWD/dist/compiled:/work/dist/compiled" -w /work \\
    public.ecr.aws/lambda/nodejs:24 scripts/compile.ts

  --help  this text
`;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const root = join(import.meta.dirname, '..');
const functions = join(root, 'dist/functions');
const compiled = join(root, 'dist/compiled');
if (!existsSync(functions)) {
  console.error('Nothing is bundled yet: run `npm run bundle` first.');
  process.exit(1);
}

const startedAt = performance.now();
// The folder itself may be mounted, and stays.
for (const old of globSync(join(compiled, '*'))) rmSync(old, { recursive: true });
const waiting = globSync(join(functions, '**/index.mjs')).map((file) => relative(functions, dirname(file)));
const total = waiting.length;
const work = async (): Promise<void> => {
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    await compileFunction(join(functions, path), join(compiled, path));
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, work));

const bytes = globSync(join(compiled, '**/*.cache')).reduce((sum, file) => sum + statSync(file).size, 0);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(
  `${total} functions in ${seconds} s for Node ${process.version} on ${process.arch}, ${Math.round(bytes / 1e6)} MB`,
);
if (process.arch !== 'arm64') {
  console.warn(`Functions run on arm64 and will pass over what was compiled on ${process.arch}.`);
}
