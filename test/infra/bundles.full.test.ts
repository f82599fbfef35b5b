import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '#contract/route.ts';
import { bundle, bundleFile, bundleOutput, freshBundles } from '#lib/bundle.ts';
import { dist } from '#lib/bundling/paths.ts';
import { type HandlerFile, handlerFiles } from '#lib/handlers.ts';
import { misplacedPackages } from '#test/support/packages.ts';

/** The upper limit of every bundle, minified. Larger bundles start slowly. */
const BUNDLE_BYTES_MAX = 900_000;
// Half a KB of each refuses writes without a verified address.
const LARGER_BUNDLES: Readonly<Record<string, number>> = {
  // Derives slugs, opens checkouts, and has the lists and the catalog for rules about submissions. 2 KB of it look for payments
  // under way, round prices to what Stripe charges, and open the payment page without an address that Stripe refuses.
  'projects.submit': 1_263_500,
  // Submits like the route, and serves the protocol.
  'mcp.call': 1_643_500,
  // Derives slugs, reads files from the object storage and the text of HTML, and has the catalog with filters by fields.
  'imports.run': 1_040_500,
  // The same without the object storage.
  'projects.importCsv': 947_000,
  // Contains the OpenAPI document, half of it. 3 KB are the refusals of almost all writes by another name, 130 bytes say what an erasure leaves in events,
  // 1.5 KB what of long values and lists a response has.
  'docs.readOpenapi': 1_127_500,
  // Has the public suffix list, the list of public mail services, and the catalog to count the listings of a host.
  'claims.open': 960_000,
  // Has the widths of a font, to measure the texts of badges.
  'feeds.readBadge': 1_394_500,
};

const BUNDLE_TIMEOUT_MS = 600_000;

let bundles: Metafile;
beforeAll(async () => {
  bundles = await freshBundles();
}, BUNDLE_TIMEOUT_MS);

const sourceOf = (handler: HandlerFile): string => `functions/${handler.path}.ts`;
const outputOf = (handler: HandlerFile) => bundleOutput(bundles, handler);
const contains = (handler: HandlerFile, file: string): boolean =>
  (outputOf(handler).inputs[file]?.bytesInOutput ?? 0) > 0;

/** Whether a bundle contains the name of an operation of AWS. */
const calls = (handler: HandlerFile, operation: string): boolean =>
  new RegExp(`["'\`]${operation}["'\`]`).test(readFileSync(bundleFile(handler.path), 'utf8'));

/** Whether a module is reachable in a bundle without passing through another one. */
const reaches = (handler: HandlerFile, file: string, through: string): boolean => {
  const seen = new Set<string>();
  const open = [sourceOf(handler)];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (module === file) return true;
    if (seen.has(module) || module === through) continue;
    seen.add(module);
    for (const { path } of bundles.inputs[module]?.imports ?? []) if (contains(handler, path)) open.push(path);
  }
  return false;
};

/**
 * The code that a permission requires. The feed uses the reader of collections without needing its permissions. Whether
 * all permissions are used is tested by recorded AWS calls.
 */
const evidence: Readonly<Partial<Record<Permission, (handler: HandlerFile) => boolean>>> = {
  'table:get': (handler) => reaches(handler, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:query': (handler) => reaches(handler, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:collection': (handler) => reaches(handler, 'shared/data/read.ts', 'shared/data/feed.ts'),
  'table:sweep': (handler) => contains(handler, 'shared/data/write.ts'),
  catalog: (handler) => contains(handler, 'shared/data/feed.ts'),
  mail: (handler) => contains(handler, 'shared/platform/ses.ts'),
  bus: (handler) => calls(handler, 'PutEvents'),
  health: (handler) => contains(handler, 'shared/data/jobs.ts') && calls(handler, 'DescribeEventBus'),
  stripe: (handler) => contains(handler, 'shared/platform/stripe.ts'),
};

describe.each([...handlerFiles])('the bundle of $id', (handler) => {
  it('contains the code for its permissions', () => {
    const found = Object.entries(evidence).flatMap(([permission, isUsed]) => (isUsed(handler) ? [permission] : []));
    expect(found).toEqual(expect.arrayContaining(handler.permissions.filter((permission) => permission in evidence)));
  });

  it('contains the code that writes the table if its handler writes entities', () => {
    if (handler.writes.length > 0) expect(contains(handler, 'shared/data/write.ts')).toBe(true);
  });

  it('contains mail, bus and payment provider only with the permission', () => {
    const found = (['mail', 'bus', 'stripe'] as const).filter((permission) => evidence[permission]?.(handler));
    expect(found.filter((permission) => !handler.permissions.includes(permission))).toEqual([]);
  });

  it('is below the size limit', () => {
    expect(outputOf(handler).bytes).toBeLessThanOrEqual(LARGER_BUNDLES[handler.id] ?? BUNDLE_BYTES_MAX);
  });

  it('is one file that exports a handler', () => {
    expect(existsSync(bundleFile(handler.path))).toBe(true);
    expect(outputOf(handler).exports).toEqual(['handler']);
  });

  it('has no external imports', () => {
    // Built-in modules of Node are not imported either: see lib/bundling/node-modules.ts.
    expect(outputOf(handler).imports.filter(({ external }) => external)).toEqual([]);
    expect(readFileSync(bundleFile(handler.path), 'utf8')).not.toMatch(/Dynamic require of/);
  });
});

describe('bundling', () => {
  it('bundling puts each package into the functions that use it', () => {
    expect(misplacedPackages(bundles, handlerFiles)).toEqual([]);
  });

  it(
    'bundling produces bundles that Node loads without the repository',
    () => {
      // The runtime of Lambda defines this global.
      const program = `
      globalThis.awslambda = { streamifyResponse: (handler) => handler };
      for (const file of process.argv.slice(1)) {
        const { handler } = await import(file);
        if (typeof handler !== 'function') throw new Error(file);
      }`;
      const files = handlerFiles.map(({ path }) => bundleFile(path));
      execFileSync('node_modules/.bin/node', ['--input-type=module', '-e', program, ...files], {
        env: {},
        stdio: 'pipe',
      });
    },
    BUNDLE_TIMEOUT_MS,
  );

  it('bundling throws an error that names a missing handler', async () => {
    const missing: HandlerFile = {
      id: 'projects.vanish',
      kind: 'route',
      path: 'projects/vanish',
      permissions: [],
      writes: [],
    };
    await expect(bundle([missing])).rejects.toThrow(
      'functions/projects/vanish.ts is missing for route projects.vanish.',
    );
  });

  it('bundling reuses bundles while their inputs are unchanged', async () => {
    const builtAt = () => statSync(join(dist, 'meta.json')).mtimeMs;
    const before = builtAt();
    await freshBundles();
    expect(builtAt()).toBe(before);
  });
});
