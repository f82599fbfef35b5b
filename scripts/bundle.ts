import { bundle, bundleOutput } from '#lib/bundle.ts';
import { handlerFiles } from '#lib/handlers.ts';

const HELP = `npm run bundle

Bundles every function into dist/functions, as deployed, with source maps in dist/maps, and prints the sizes.
  --help    prints this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const startedAt = performance.now();
const bundles = await bundle();
const sizes = handlerFiles
  .map((handler) => ({ id: handler.id, bytes: bundleOutput(bundles, handler).bytes }))
  .sort((one, other) => other.bytes - one.bytes);
for (const { id, bytes } of sizes) console.log(`${String(Math.ceil(bytes / 1000)).padStart(6)} kB  ${id}`);
console.log(`${sizes.length} functions in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, in dist/functions`);
