import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '#lib/bundle.ts';
import { nodeModules } from '#lib/bundling/node-modules.ts';
import { unusedDeclarations } from '#lib/bundling/unused-declarations.ts';

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
  it('built-in modules of Node are available to every kind of import and to require', async () => {
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

  it('built-in modules of Node do not load the parts behind exports that are not used', async () => {
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

  it('built-in modules of Node are dropped when nothing of them is used', async () => {
    const { bytes } = await bundled("import 'node:zlib'; import { cpus } from 'node:os'; export const x = () => 1;");
    expect(bytes).toBeLessThan(40);
  });
});

it('the declarations of the contract are bundled only for the route that uses them', async () => {
  const code = "import { withdraw } from '#contract/reactions.ts'; export const path = () => withdraw.path;";
  const {
    exported: { path },
    bytes,
  } = await bundled(code, unusedDeclarations);
  expect(path?.()).toBe('/api/projects/{project}/upvote');
  expect(bytes).toBeLessThan((await bundled(code)).bytes);
});
