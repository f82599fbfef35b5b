import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '#lib/bundling/paths.ts';
import { consoleOutputs, freshConsole } from '#lib/console.ts';

/** What a browser may have to fetch before a page shows, compressed. */
const SCRIPT_MAX_BYTES = 120_000;
const STYLES_MAX_BYTES = 12_000;

const PAGE = /^console\/pages\/(\w+)\/page\.tsx$/;

describe('the first load of the console', () => {
  let outputs: ReturnType<typeof consoleOutputs>;

  beforeAll(async () => {
    await freshConsole();
    outputs = consoleOutputs();
  });

  const sizeOf = (file: string): number => gzipSync(readFileSync(join(root, file))).length;

  const outputOf = (entry: string): string =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? '';

  /** The files without which a script does not run: those that it imports, and so on. */
  const filesOf = (file: string, found = new Set<string>()): Set<string> => {
    if (found.has(file)) return found;
    found.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') filesOf(path, found);
    return found;
  };

  it('fetches at most 120 KB of script for every page, and 12 KB of styles', () => {
    const application = filesOf(outputOf('console/main.tsx'));
    const rows = Object.entries(outputs).flatMap(([file, { entryPoint = '' }]) => {
      const [, page] = PAGE.exec(entryPoint) ?? [];
      if (page === undefined) return [];
      const files = filesOf(file, new Set(application));
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
    expect(sizeOf(outputOf('console/styles/main.css')), 'styles').toBeLessThanOrEqual(STYLES_MAX_BYTES);
  });
});
