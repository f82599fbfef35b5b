import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Need } from '#contract/route.ts';
import { type Bundles, bundle, bundleFolder, freshBundles } from '#lib/bundle.ts';
import { type Door, doors } from '#lib/doors.ts';

/** No function is larger, minified; what is in it beyond what it needs makes it slow to start. */
const BUNDLE_BYTES_MAX = 900_000;

/** What the payment provider's package adds where it is needed; it comes as one piece. */
const STRIPE_BYTES = 250_000;

const BUNDLE_TIMEOUT_MS = 60_000;

let bundles: Bundles;
beforeAll(async () => {
  bundles = await freshBundles();
}, BUNDLE_TIMEOUT_MS);

const sourceOf = (door: Door): string => `functions/${door.path}.ts`;
const outputOf = (door: Door) => {
  const output = bundles.outputs[`dist/functions/${door.path}/index.mjs`];
  if (!output) throw new Error(`${door.id} is not bundled.`);
  return output;
};
const contains = (door: Door, file: string): boolean => (outputOf(door).inputs[file]?.bytesInOutput ?? 0) > 0;

/** Whether a module is in a door's bundle for other reasons than `through`. */
const reaches = (door: Door, file: string, through: string): boolean => {
  const seen = new Set<string>();
  const open = [sourceOf(door)];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (module === file) return true;
    if (seen.has(module) || module === through) continue;
    seen.add(module);
    for (const { path } of bundles.inputs[module]?.imports ?? []) if (contains(door, path)) open.push(path);
  }
  return false;
};

/** What shows that a bundle uses a capability. The feed is read by the reader of collections, which needs no other grant. */
const evidence: Readonly<Partial<Record<Need, (door: Door) => boolean>>> = {
  'table:read': (door) => reaches(door, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:write': (door) => contains(door, 'shared/data/write.ts'),
  catalog: (door) => contains(door, 'shared/data/feed.ts'),
  mail: (door) => contains(door, 'shared/platform/mail.ts'),
  bus: (door) => contains(door, 'shared/platform/bus.ts'),
  stripe: (door) => contains(door, 'shared/platform/stripe.ts'),
};

describe.each([...doors])('the bundle of $id', (door) => {
  it('contains what its needs say, and its needs say what it contains', () => {
    const found = Object.entries(evidence).flatMap(([need, isUsed]) => (isUsed(door) ? [need] : []));
    expect(found.sort()).toEqual(door.needs.filter((need) => need in evidence).sort());
  });

  it('keeps to its budget', () => {
    const allowance = door.needs.includes('stripe') ? STRIPE_BYTES : 0;
    expect(outputOf(door).bytes).toBeLessThanOrEqual(BUNDLE_BYTES_MAX + allowance);
  });

  it('is one file with a handler', () => {
    expect(existsSync(join(bundleFolder(door.path), 'index.mjs'))).toBe(true);
    expect(outputOf(door).exports).toEqual(['handler']);
  });

  it('leaves nothing to be found where it is uploaded', () => {
    const outside = outputOf(door).imports.filter(({ external }) => external);
    expect(outside.map(({ path }) => path).filter((path) => !isBuiltin(path))).toEqual([]);
  });
});

describe('bundling', () => {
  it(
    'gives handlers that a bare Node can load, all of them',
    () => {
      // The one thing that the runtime of functions has and Node has not.
      const program = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      for (const file of process.argv.slice(1)) {
        const { handler } = await import(file);
        if (typeof handler !== 'function') throw new Error(file);
      }`;
      const files = doors.map(({ path }) => join(bundleFolder(path), 'index.mjs'));
      execFileSync('node_modules/.bin/node', ['--input-type=module', '-e', program, ...files], {
        env: {},
        stdio: 'pipe',
      });
    },
    BUNDLE_TIMEOUT_MS,
  );

  it('says in a sentence which door is missing', async () => {
    const missing: Door = { id: 'projects.vanish', kind: 'route', path: 'projects/vanish', needs: [] };
    await expect(bundle([missing])).rejects.toThrow(
      'functions/projects/vanish.ts is missing for route projects.vanish.',
    );
  });

  it('is not done again while nothing has changed', async () => {
    const startedAt = performance.now();
    await freshBundles();
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
