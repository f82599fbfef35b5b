import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '#lib/bundling/paths.ts';

/** Copies of the repository as Windows and archives have them. */

const CHECK_MS = 300_000;
/** The repository may be absent, or of a user whom git does not trust. */
const hasGit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root }).status === 0;

describe.runIf(hasGit)('a clone with core.autocrlf, without its repository', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'copies-'));
    execFileSync('git', ['clone', '--quiet', '--depth=1', '--config', 'core.autocrlf=true', `file://${root}`, folder]);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the lines of the repository', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8' }).split('\0').slice(0, -1);
    const textual = files.filter((file) => !file.endsWith('.png'));
    expect(textual.filter((file) => readFileSync(join(folder, file), 'utf8').includes('\r\n'))).toEqual([]);
    expect(textual.length).toBeGreaterThan(1500);
  });

  it(
    'passes the checks, for which no git is there',
    () => {
      rmSync(join(folder, '.git'), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const commands = join(folder, '.data', 'commands');
      mkdirSync(commands, { recursive: true });
      symlinkSync(process.execPath, join(commands, 'node'));
      const check = spawnSync(process.execPath, ['scripts/check.ts', '--skip', 'invariants'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, PATH: commands },
      });
      expect(check.stdout).not.toContain('FAIL');
      expect(check.stdout).toContain('ok   licences');
      expect(check.status).toBe(0);
    },
    CHECK_MS,
  );
});
