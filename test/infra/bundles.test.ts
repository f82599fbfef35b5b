import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Need } from '#contract/route.ts';
import { type Bundles, bundle, bundleFolder, freshBundles } from '#lib/bundle.ts';
import { type Door, doors } from '#lib/doors.ts';

/** No function is larger, minified; what is in it beyond what it needs makes it slow to start. */
const BUNDLE_BYTES_MAX = 900_000;

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

/**
 * Without what a bundle cannot use a capability. The feed is read by the reader of collections, which needs no other grant.
 * Whether it uses what it could is for the calls to say that it makes.
 */
const evidence: Readonly<Partial<Record<Need, (door: Door) => boolean>>> = {
  'table:get': (door) => reaches(door, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:query': (door) => reaches(door, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:collection': (door) => reaches(door, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:write': (door) => contains(door, 'shared/data/write.ts'),
  'table:sweep': (door) => contains(door, 'shared/data/write.ts'),
  catalog: (door) => contains(door, 'shared/data/feed.ts'),
  mail: (door) => contains(door, 'shared/platform/mail.ts'),
  bus: (door) => contains(door, 'shared/platform/bus.ts'),
  health: (door) => contains(door, 'shared/data/health.ts') && contains(door, 'shared/platform/bus-health.ts'),
  stripe: (door) => contains(door, 'shared/platform/stripe.ts'),
};

describe.each([...doors])('the bundle of $id', (door) => {
  it('contains what its needs say', () => {
    const found = Object.entries(evidence).flatMap(([need, isUsed]) => (isUsed(door) ? [need] : []));
    expect(found).toEqual(expect.arrayContaining(door.needs.filter((need) => need in evidence)));
  });

  it('contains mail, bus and provider only where its needs say so', () => {
    const found = (['mail', 'bus', 'stripe'] as const).filter((need) => evidence[need]?.(door));
    expect(found.filter((need) => !door.needs.includes(need))).toEqual([]);
  });

  it('keeps to its budget', () => {
    expect(outputOf(door).bytes).toBeLessThanOrEqual(BUNDLE_BYTES_MAX);
  });

  it('is one file with a handler', () => {
    expect(existsSync(join(bundleFolder(door.path), 'index.mjs'))).toBe(true);
    expect(outputOf(door).exports).toEqual(['handler']);
  });

  it('leaves nothing to be found where it is uploaded', () => {
    // Not even the parts of Node are imported: see lib/bundling/node-modules.ts.
    expect(outputOf(door).imports.filter(({ external }) => external)).toEqual([]);
    expect(readFileSync(join(bundleFolder(door.path), 'index.mjs'), 'utf8')).not.toMatch(/Dynamic require of/);
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
