import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '#lib/bundle.ts';

/** Puts an empty catalog in the place of the one that is loaded. */
const emptyCatalog: Plugin = {
  name: 'empty-catalog',
  setup: (bundling) => {
    bundling.onLoad({ filter: /[\\/]shared[\\/]data[\\/]catalog\.ts$/ }, () => ({
      contents: `
import { Catalog } from '#catalog/catalog.ts';
const empty = new Catalog();
export const catalog = async () => empty;`,
      loader: 'ts',
    }));
  },
};

const bundle = async (source: string, folder: string, plugins: readonly Plugin[] = []): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  await build({
    ...bundleOptions,
    plugins: [...plugins, ...bundleOptions.plugins],
    entryPoints: [source],
    outfile: join(folder, 'index.mjs'),
  });
  return folder;
};

/** A function that makes one call with the SDK and nothing else, bundled as the others are. @returns its folder. */
export const bundleOneUpdate = (into: string): Promise<string> =>
  bundle('bench/cold-start/one-update.ts', join(into, 'one-update'));

/** The list without the loading of its catalog. @returns its folder. */
export const bundleListAlone = (into: string): Promise<string> =>
  bundle('functions/projects/list.ts', join(into, 'list-alone'), [emptyCatalog]);
