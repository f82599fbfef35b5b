import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** The Stripe resources that `shared/platform/stripe.ts` uses. */
const USED = /resources[\\/](?:Checkout[\\/]|Refunds\.js$)/;

const placeholderFor = (file: string): string => `
class Unused {
  constructor() {
    return new Proxy(this, {
      get: (_, name) => {
        throw new Error('The bundle has no ' + String(name) + ' of ${file}: add it in lib/bundling/stripe-resources.ts.');
      },
    });
  }
}`;

/**
 * Replaces the Stripe resources that the service does not use by placeholders that throw: the client creates all 130 of
 * them, which adds 130 KB to a function with payments. After an upgrade that renames files they are bundled whole, and the
 * size budget fails.
 */
export const stripeResources: Plugin = {
  name: 'stripe-resources',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]stripe[\\/]esm[\\/]resources[\\/]/ }, ({ path }) => {
      if (USED.test(path)) return undefined;
      const names = [...readFileSync(path, 'utf8').matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
      const file = path.replaceAll('\\', '/').split('/esm/').at(-1) ?? path;
      return { contents: [placeholderFor(file), ...names.map((name) => `export { Unused as ${name} };`)].join('\n') };
    });
  },
};
