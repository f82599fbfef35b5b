import type { Plugin } from 'esbuild';
import { manifest, PREFIX } from '#shared/client/manifest.ts';

/** Replaces the module that derives the client's manifest from the schemas by its result, so that clients load no schemas. */
export const evaluatedManifest: Plugin = {
  name: 'evaluated-manifest',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]shared[\\/]client[\\/]manifest\.ts$/ }, () => ({
      contents: `export const PREFIX = '${PREFIX}'; export const manifest = ${JSON.stringify(manifest)};`,
    }));
  },
};
