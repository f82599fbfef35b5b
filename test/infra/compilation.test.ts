import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleFolder, bundleOptions, dist, freshBundles, uploadFolder } from '#lib/bundle.ts';
import { asFunction, compileFunction } from '#lib/compilation/compile.ts';
import { doorCode } from '#lib/constructs/door-code.ts';

/** Compiled functions: that V8 takes what was made, and that they work the same where it does not. */

const cacheName = `${process.version}-${process.arch}.cache`;
const otherCacheName = `${process.version}-${process.arch}-gc.cache`;

/** What Lambda adds to how it starts Node, as far as V8 could mind. */
const LAMBDA_FLAGS = ['--expose-gc', '--max-http-header-size=81920'];

/** What a function says of itself: that it works, and where V8 had compiled it before. */
const CODE = `
  import { createHash } from 'node:crypto';
  const digest = (text) => createHash('sha256').update(text).digest('hex');
  export const handler = async (event) => {
    if (event.fail) throw new Error('It was asked to.');
    return { statusCode: 200, body: digest('one').slice(0, 8) };
  };`;

let folder: string;
let bundled: string;
let compiled: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'compilation-'));
  bundled = join(folder, 'bundled');
  compiled = join(folder, 'compiled');
  await build({
    ...bundleOptions,
    stdin: { contents: CODE, resolveDir: process.cwd() },
    outfile: join(bundled, 'index.mjs'),
  });
  await compileFunction(bundled, compiled);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a function in a process of its own; says what it answered and whether V8 took what had been made of it. */
const run = (from: string, event: object, flags: readonly string[] = []) => {
  const program = `
    const vm = process.getBuiltinModule('node:vm');
    const seen = [];
    vm.Script = class extends vm.Script {
      constructor(...given) { super(...given); seen.push(this.cachedDataRejected); }
    };
    const { handler } = await import(process.argv[1]);
    const answer = await handler(JSON.parse(process.argv[2])).catch((error) => error.stack);
    console.log(JSON.stringify({ answer, refused: seen[0] ?? null }));`;
  const given = [...flags, '--input-type=module', '-e', program, join(from, 'index.mjs'), JSON.stringify(event)];
  return JSON.parse(execFileSync(process.execPath, given, { env: {} }).toString()) as {
    answer: unknown;
    refused: boolean | null;
  };
};

const ANSWER = { statusCode: 200, body: '7692c3ad' };

/** A copy of the compiled function in which something is different. */
const altered = (name: string, change: (copy: string) => void): string => {
  const copy = join(folder, name);
  cpSync(compiled, copy, { recursive: true });
  change(copy);
  return copy;
};

describe('a compiled function', () => {
  it('is the bundle, what loads it, and what V8 made of it for either way to start Node', () => {
    expect(readdirSync(compiled).toSorted()).toEqual(
      ['function.js', 'index.mjs', otherCacheName, cacheName].toSorted(),
    );
  });

  it('is taken by V8, also where Node is started as Lambda starts it, whatever its memory', () => {
    const memory = ['--max-semi-space-size=25', '--max-old-space-size=461'];
    for (const flags of [[], memory, LAMBDA_FLAGS, [...LAMBDA_FLAGS, ...memory]]) {
      expect([flags, run(compiled, {}, flags)]).toEqual([flags, { answer: ANSWER, refused: false }]);
    }
  });

  it('works where Node is started in a third way, and V8 refuses it', () => {
    expect(run(compiled, {}, ['--no-opt'])).toEqual({ answer: ANSWER, refused: true });
  });

  it('works where another Node has compiled it', () => {
    const other = altered('other', (copy) => {
      rmSync(join(copy, cacheName));
      writeFileSync(join(copy, 'v24.0.0-arm64.cache'), 'of another one');
    });
    expect(run(other, {})).toEqual({ answer: ANSWER, refused: null });
  });

  it('works where what was made is broken', () => {
    const broken = altered('broken', (copy) => writeFileSync(join(copy, cacheName), 'broken'));
    expect(run(broken, {})).toEqual({ answer: ANSWER, refused: true });
  });

  it('says of errors where they happened in the bundle', () => {
    const placeOf = (from: string) => /index\.mjs:\d+:\d+/.exec(String(run(from, { fail: true }).answer))?.[0];
    expect(placeOf(compiled)).toBeDefined();
    expect(placeOf(compiled)).toBe(placeOf(bundled));
  });

  it('is made whatever its handler is called after minifying', () => {
    expect(asFunction('var $9=1;export{$9 as handler};\n')).toBe(
      "(function(){'use strict';\nvar $9=1;return{handler:$9}})",
    );
  });

  it('cannot be made of what is no bundle', () => {
    expect(() => asFunction('export const handler = 1;')).toThrow('The bundle does not end with its handler.');
  });
});

describe('the list', () => {
  beforeAll(async () => {
    await freshBundles();
  }, 60_000);

  it('is compiled with all that its first answer needs', async () => {
    const to = join(folder, 'list');
    await compileFunction(bundleFolder('projects/list'), to);
    // More than half of the bundle's functions run at a start; only declaring them would be a third of this.
    expect(readFileSync(join(to, cacheName)).length).toBeGreaterThan(
      1.5 * readFileSync(join(to, 'function.js')).length,
    );
    expect(readFileSync(join(to, 'function.js')).every((byte) => byte < 128)).toBe(true);
  }, 60_000);
});

describe('an upload', () => {
  const path = 'nobody/has-this';
  const made = join(dist, 'compiled', path);
  const write = (files: Readonly<Record<string, string>>): void => {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(made, name), content);
  };
  const keyOf = (files: Readonly<Record<string, string>>): string | undefined => {
    write(files);
    const stack = new Stack(new App());
    return doorCode(stack, path).bind(stack).s3Location?.objectKey;
  };
  afterEach(() => {
    rmSync(join(dist, 'compiled/nobody'), { recursive: true, force: true });
  });

  it('is what was compiled, where that was done, and the bundle elsewhere', () => {
    expect(uploadFolder(path)).toBe(bundleFolder(path));
    write({ 'index.mjs': '' });
    expect(uploadFolder(path)).toBe(made);
  });

  it('is another one for other code or another Node, and the same when it was only compiled again', () => {
    const files = { 'index.mjs': '', 'function.js': 'one', 'v24.1.0-arm64.cache': 'one' };
    const key = keyOf(files);
    expect(keyOf({ ...files, 'v24.1.0-arm64.cache': 'two' })).toBe(key);
    expect(keyOf({ ...files, 'function.js': 'two' })).not.toBe(key);
    expect(keyOf({ 'index.mjs': '', 'function.js': 'one', 'v24.2.0-arm64.cache': 'one' })).not.toBe(key);
  });
});
