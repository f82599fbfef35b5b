import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { dist, root } from '#lib/bundling/paths.ts';
import { freshConsole, outputOf, withImports } from '#lib/console.ts';

/** What a browser may have to fetch before a page shows, compressed. */
const SCRIPT_MAX_BYTES = 120_000;
const STYLES_MAX_BYTES = 12_000;

const PAGE = /^console\/pages\/(\w+)\/page\.tsx$/;

describe('the first load of the console', () => {
  let outputs: Metafile['outputs'];

  beforeAll(async () => {
    await freshConsole();
    ({ outputs } = JSON.parse(readFileSync(join(dist, 'console.json'), 'utf8')) as Metafile);
  });

  const sizeOf = (file: string): number => gzipSync(readFileSync(join(root, file))).length;

  it('the first load of the console fetches at most 120 KB of script for every page, and 12 KB of styles', () => {
    const application = withImports(outputs, outputOf(outputs, 'console/main.tsx'));
    const rows = Object.entries(outputs).flatMap(([file, { entryPoint = '' }]) => {
      const [, page] = PAGE.exec(entryPoint) ?? [];
      if (page === undefined) return [];
      const files = withImports(outputs, file, new Set(application));
      return [{ page, bytes: [...files].reduce((sum, one) => sum + sizeOf(one), 0) }];
    });
    const table = rows
      .toSorted((one, other) => other.bytes - one.bytes)
      .map(({ page, bytes }) => `${page.padEnd(12)} ${(bytes / 1000).toFixed(1).padStart(6)} KB`)
      .join('\n');
    expect(rows).toHaveLength(17);
    expect(Math.max(...rows.map(({ bytes }) => bytes)), `scripts by page:\n${table}`).toBeLessThanOrEqual(
      SCRIPT_MAX_BYTES,
    );
    expect(sizeOf(outputOf(outputs, 'console/styles/main.css')), 'styles').toBeLessThanOrEqual(STYLES_MAX_BYTES);
  });
});
