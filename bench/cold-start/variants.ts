import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '#lib/bundle.ts';

/** Replaces the loaded catalog by an empty one. */
const emptyCatalog: Plugin = {
  name: 'empty-catalog',
  setup: (bundling) => {
    bundling.onLoad({ filter: /[\\/]shared[\\/]data[\\/]catalog\.ts$/ }, () => ({
      contents: `
import { Catalog } from '#catalog/catalog.ts';
const empty = new Catalog();
export const catalog = async () => empty;
export const catalogToSearch = catalog;`,
      loader: 'ts',
    }));
  },
};

const bundle = async (source: string, folder: string, plugins: readonly Plugin[] = []): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'index.mjs');
  await build({
    ...bundleOptions,
    plugins: [...plugins, ...bundleOptions.plugins],
    entryPoints: [source],
    outfile,
  });
  return outfile;
};

/** Bundles the function that makes one SDK call. @returns its file. */
export const bundleOneUpdate = (into: string): Promise<string> =>
  bundle('bench/cold-start/one-update.ts', join(into, 'one-update'));

/** Bundles the list with an empty catalog. @returns its file. */
export const bundleListAlone = (into: string): Promise<string> =>
  bundle('functions/projects/list.ts', join(into, 'list-alone'), [emptyCatalog]);
