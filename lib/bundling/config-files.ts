import type { Plugin } from 'esbuild';

/**
 * Leaves out how the SDK reads `~/.aws`: a function has no such files, and every client would look for them before its first
 * request. It goes on as where nothing stands in them, to its defaults. A file that an upgrade names otherwise comes in
 * again, and a test finds it looking.
 */
export const configFiles: Plugin = {
  name: 'config-files',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]node-config-provider[\\/]fromSharedConfigFiles\.js$/ }, () => ({
      contents: `
import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
export const fromSharedConfigFiles = () => async () => {
  throw new CredentialsProviderError('Bundles read no files of configuration: see lib/bundling/config-files.ts.');
};`,
    }));
  },
};
