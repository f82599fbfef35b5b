import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Readonly<Record<string, Entry>> };

describe('the lock file', () => {
  it('names the builds for every platform, without which `npm ci` refuses it (mend: npm run lock)', () => {
    const missing = Object.values(lock.packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => /(?:linux|darwin|win32)-(?:x64|arm64)/.test(name) && !lock.packages[`node_modules/${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('records no address of a registry', () => {
    expect(Object.keys(lock.packages).filter((path) => lock.packages[path]?.resolved !== undefined)).toEqual([]);
  });
});
