import type { Plugin } from 'esbuild';
import { eventKinds, manifest, PREFIX } from '#shared/client/manifest.ts';

/** Replaces the module that derives the client's manifest from the schemas by its result, so that clients load no schemas. */
export const evaluatedManifest: Plugin = {
  name: 'evaluated-manifest',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]shared[\\/]client[\\/]manifest\.ts$/ }, () => ({
      contents: Object.entries({ PREFIX, manifest, eventKinds })
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
    }));
  },
};
