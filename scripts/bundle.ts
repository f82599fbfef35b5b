import { bundle } from '#lib/bundle.ts';
import { doors } from '#lib/doors.ts';

const HELP = `npm run bundle

Bundles every function into dist/functions, as it is uploaded, with its source map in dist/maps, and prints their sizes.
  --help    this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const startedAt = performance.now();
const { outputs } = await bundle();
const sizes = doors
  .map(({ id, path }) => ({ id, bytes: outputs[`dist/functions/${path}/index.mjs`]?.bytes ?? 0 }))
  .sort((one, other) => other.bytes - one.bytes);
for (const { id, bytes } of sizes) console.log(`${String(Math.ceil(bytes / 1000)).padStart(6)} kB  ${id}`);
console.log(`${sizes.length} functions in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, in dist/functions`);
