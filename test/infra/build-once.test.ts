import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Build, buildAgain, buildOnce } from '#lib/bundling/build-once.ts';
import { dist, root } from '#lib/bundling/paths.ts';
import { until } from '#test/support/until.ts';

/** A build with one input, whose lock other processes of this test use too. */

let folder: string;
let build: Build;
let builds: number;
let written: string;
let others: ChildProcess[];

const manifest = () => join(folder, 'manifest.json');
const input = () => join(folder, 'input.txt');
const lockFile = () => join(dist, `${build.name}.lock.sqlite`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-once-'));
  builds = 0;
  written = '';
  others = [];
  build = {
    name: `test-${process.pid}`,
    manifest: manifest(),
    inputs: () => [input()],
    build: async () => {
      builds += 1;
      return `build ${builds}`;
    },
  };
  writeFileSync(input(), '');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  for (const other of others) other.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  rmSync(lockFile(), { force: true });
});

/** Another process, which has begun the same build and does not end it. */
const startOther = async () => {
  const program = `
    const { buildOnce } = await import('./lib/bundling/build-once.ts');
    setInterval(() => undefined, 1000);
    await buildOnce({
      name: ${JSON.stringify(build.name)},
      manifest: ${JSON.stringify(manifest())},
      inputs: () => [${JSON.stringify(input())}],
      build: () => {
        console.log('building');
        return new Promise(() => undefined);
      },
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  others.push(child);
  await once(child.stdout, 'data');
  return child;
};

it('builds once for callers at the same time, and again after a change of an input', async () => {
  await Promise.all([buildOnce(build), buildOnce(build), buildOnce(build)]);
  expect(readFileSync(manifest(), 'utf8')).toBe('build 1');
  const later = statSync(manifest()).mtimeMs / 1000 + 10;
  utimesSync(input(), later, later);
  await buildOnce(build);
  expect(readFileSync(manifest(), 'utf8')).toBe('build 2');
});

it('builds when an input is missing, and always when told to', async () => {
  await buildOnce(build);
  rmSync(input());
  await buildOnce(build);
  expect(builds).toBe(2);
  writeFileSync(input(), '');
  await buildAgain(build);
  await buildAgain(build);
  expect(builds).toBe(4);
});

it('a failed build is not fresh', async () => {
  await buildOnce(build);
  const failing = { ...build, build: () => Promise.reject(new Error('no')) };
  await expect(buildAgain(failing)).rejects.toThrow('no');
  expect(existsSync(manifest())).toBe(false);
});

it('writes nothing and does not wait when the build is fresh', async () => {
  await buildOnce(build);
  rmSync(lockFile());
  await buildOnce(build);
  expect(existsSync(lockFile())).toBe(false);
  expect(builds).toBe(1);
});

it('says at once what it waits for, and builds when the other process is killed', async () => {
  const other = await startOther();
  const building = buildOnce(build);
  await until(() => written !== '');
  expect(written).toBe(`Waiting for another build of the ${build.name}.\n`);
  expect(builds).toBe(0);
  other.kill('SIGKILL');
  await building;
  expect(readFileSync(manifest(), 'utf8')).toBe('build 1');
});

it('a killed build leaves no lock, and is not fresh', async () => {
  await buildOnce(build);
  rmSync(input());
  const other = await startOther();
  other.kill('SIGKILL');
  await once(other, 'exit');
  writeFileSync(input(), '');
  utimesSync(input(), 1, 1);
  await buildOnce(build);
  expect({ builds, written }).toEqual({ builds: 2, written: '' });
});
