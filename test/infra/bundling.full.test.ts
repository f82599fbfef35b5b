import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '#lib/bundle.ts';
import { nodeModules } from '#lib/bundling/node-modules.ts';
import { markPure, unusedDeclarations } from '#lib/bundling/unused-declarations.ts';

/** The plugins of the bundler, each applied to a few lines of code. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundling-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
/** Bundles code that is resolved from the project's root, and imports the bundle. */
const bundled = async (code: string, ...plugins: Plugin[]) => {
  count += 1;
  const file = join(folder, `${count}.mjs`);
  const { metafile } = await build({
    ...bundleOptions,
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    outfile: file,
    plugins: [nodeModules, ...plugins],
    metafile: true,
    logLevel: 'error',
  });
  const exported = (await import(pathToFileURL(file).href)) as Record<string, (...given: unknown[]) => unknown>;
  return { exported, file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
};

/** The result of a bundle's `run` in a new process, and the parts of Node that were loaded for it. */
const runAlone = (file: string): { result: unknown; loaded: string[] } => {
  const program = `
    process.getBuiltinModule('node:http');
    const before = new Set(process.moduleLoadList);
    const { run } = await import(process.argv[1]);
    const result = await run();
    const loaded = process.moduleLoadList.filter((name) => !before.has(name));
    console.log(JSON.stringify({ result, loaded }));`;
  const env = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' };
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { env }).toString(),
  ) as { result: unknown; loaded: string[] };
};

describe('built-in modules of Node', () => {
  it('are available to every kind of import and to require', async () => {
    const {
      exported: { all },
    } = await bundled(`
      import { join } from 'node:path';
      import crypto, { createHash } from 'crypto';
      import * as os from 'node:os';
      export const all = async () => {
        const { setTimeout: wait } = await import('node:timers/promises');
        await wait(1);
        return [join('a', 'b'), crypto.createHash === createHash, typeof os.cpus, typeof require('node:fs').readFileSync];
      };`);
    expect(await all?.()).toEqual(['a/b', true, 'function', 'function']);
  });

  it('do not load the parts behind exports that are not used', async () => {
    const { file } = await bundled(`
      import { request } from 'node:http';
      import { ReadStream, readFileSync } from 'node:fs';
      import { promisify } from 'node:util';
      export const run = () => [typeof request, typeof readFileSync, typeof promisify];
      export const isFile = (stream) => stream instanceof ReadStream;`);
    expect(runAlone(file)).toEqual({
      result: ['function', 'function', 'function'],
      // Behind exports of `http`, of `fs` and of `util`.
      loaded: expect.not.arrayContaining([
        expect.stringContaining('undici'),
        expect.stringContaining('fs/streams'),
        expect.stringContaining('worker'),
      ]),
    });
  });

  it('are dropped when nothing of them is used', async () => {
    const { bytes } = await bundled("import 'node:zlib'; import { cpus } from 'node:os'; export const x = () => 1;");
    expect(bytes).toBeLessThan(40);
  });
});

describe('the declarations of the contract', () => {
  it('are bundled only for the route that uses them', async () => {
    const code = "import { withdraw } from '#contract/votes.ts'; export const path = () => withdraw.path;";
    const {
      exported: { path },
      bytes,
    } = await bundled(code, unusedDeclarations);
    expect(path?.()).toBe('/api/projects/{project}/upvote');
    expect(bytes).toBeLessThan((await bundled(code)).bytes);
  });
});

describe('declarations marked as pure', () => {
  it('keep their meaning and their line numbers', async () => {
    const source = [
      "import * as z from 'zod';",
      '',
      '/** A text; with = and ; in it. */',
      "export const text = 'a = b;';",
      'const half = (value: number): number => {',
      '  const two = 2;',
      '  return value / two;',
      '};',
      'export const Sizes: Readonly<Record<string, number>> = {',
      '  small: half(2),',
      '  large: half(4),',
      '};',
      'export const Size = z',
      '  .object({ size: z.number() })',
      '  .check(({ value }) => {',
      '    if (value.size < 0) throw new Error();',
      '  });',
      'export const both = [text, Sizes] as const satisfies readonly unknown[];',
      'export type Size = z.infer<typeof Size>;',
      '',
    ].join('\n');
    const changed = markPure(source);
    expect(changed.split('\n')).toHaveLength(source.split('\n').length);
    for (const line of ['export const both', 'export type Size', 'export const Size = ']) {
      const lineOf = (code: string) => code.split('\n').findIndex((one) => one.startsWith(line));
      expect(lineOf(changed)).toBe(lineOf(source));
    }
    const {
      exported: { result },
    } = await bundled(`${changed}\nexport const result = () => [both, Size.safeParse({ size: 1 }).success];`);
    expect(result?.()).toEqual([['a = b;', { small: 1, large: 2 }], true]);
  });

  it('are dropped when they are not used', async () => {
    const { bytes } = await bundled(markPure("const unused = String('never used');\nexport const x = () => 1;\n"));
    expect(bytes).toBeLessThan(40);
  });

  it('throws for unformatted code and quotes the declaration', () => {
    expect(() => markPure('const a = f(\n  1,\n)')).toThrow(
      'Cannot find the end of this declaration; is the file formatted? const a',
    );
  });
});
