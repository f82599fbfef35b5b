import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** The resources of Stripe that the service speaks to, as `shared/platform/stripe.ts` does. */
const KEPT = /resources[\\/](?:Checkout[\\/]|Refunds\.js$)/;

const leftOut = (file: string): string => `
class LeftOut {
  constructor() {
    return new Proxy(this, {
      get: (_, name) => {
        throw new Error('Bundles have no ' + String(name) + ' of ${file}: lib/bundling/stripe-resources.ts keeps what is used.');
      },
    });
  }
}`;

/**
 * Leaves out the resources of Stripe that nobody asks: its client makes one of each, some 130 kinds, before it does anything.
 * What is left out says so when it is touched. Files that an upgrade names otherwise come in whole, and the budget tells.
 */
export const stripeResources: Plugin = {
  name: 'stripe-resources',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]stripe[\\/]esm[\\/]resources[\\/]/ }, ({ path }) => {
      if (KEPT.test(path)) return undefined;
      const names = [...readFileSync(path, 'utf8').matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
      const file = path.replaceAll('\\', '/').split('/esm/').at(-1) ?? path;
      return { contents: [leftOut(file), ...names.map((name) => `export { LeftOut as ${name} };`)].join('\n') };
    });
  },
};
