import type { Plugin } from 'esbuild';

const namespace = 'left-out';

/**
 * Leaves out how the SDK reads streams of events, which it loads when a service answers with one. No service is asked for
 * one here, and as it is loaded late it would keep a third of the SDK from being put together as one piece.
 */
export const eventStreams: Plugin = {
  name: 'event-streams',
  setup: (build) => {
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `throw new Error('Bundles have no ${path}: see lib/bundling/event-streams.ts.');`,
    }));
  },
};
