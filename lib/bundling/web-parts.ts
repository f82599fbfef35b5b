import type { Plugin } from 'esbuild';

const streamKinds = `
export const isReadableStream = (stream) => typeof stream?.getReader === 'function';
export const isBlob = (blob) => typeof blob?.arrayBuffer === 'function' && typeof blob.stream === 'function';`;

const streamingPayload = `
import { Readable } from 'node:stream';
export const isStreamingPayload = (request) =>
  request?.body instanceof Readable || typeof request?.body?.getReader === 'function';`;

const randomIds = `
import { randomUUID } from 'node:crypto';
export const bindV4 = () => () => randomUUID({ disableEntropyCache: true });`;

/**
 * Keeps the SDK away from the parts of the web that Node loads when they are named. It compares what it is answered, and
 * what it sends again, with the classes of streams and blobs, which are told by what they can do instead; and it numbers
 * its requests by the web's cryptography, where Node has its own. Where an upgrade asks elsewhere they are loaded again,
 * and a test finds them.
 */
export const webParts: Plugin = {
  name: 'web-parts',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]serde[\\/]util-stream[\\/]stream-type-check\.js$/ }, () => ({
      contents: streamKinds,
    }));
    build.onLoad({ filter: /[\\/]isStreamingPayload[\\/]isStreamingPayload\.js$/ }, () => ({
      contents: streamingPayload,
    }));
    build.onLoad({ filter: /[\\/]serde[\\/]uuid[\\/]v4\.js$/ }, () => ({ contents: randomIds }));
  },
};
