import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Readonly<Record<string, Entry>> };

describe('the lock file', () => {
  it('lists the optional builds for every platform, which `npm ci` requires; otherwise run "npm run lock"', () => {
    const missing = Object.values(lock.packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => /(?:linux|darwin|win32)-(?:x64|arm64)/.test(name) && !lock.packages[`node_modules/${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('contains no registry URL', () => {
    expect(Object.keys(lock.packages).filter((path) => lock.packages[path]?.resolved !== undefined)).toEqual([]);
  });
});
