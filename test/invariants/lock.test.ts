import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly os?: readonly string[];
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Readonly<Record<string, Entry>> };

it('the lock file lists the optional builds for every platform, which `npm ci` requires; otherwise run "npm run lock"', () => {
  const missing = Object.values(lock.packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) => /(?:linux|darwin|win32)-(?:x64|arm64)/.test(name) && !lock.packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

it('the lock file contains no registry URL', () => {
  expect(Object.keys(lock.packages).filter((path) => lock.packages[path]?.resolved !== undefined)).toEqual([]);
});

it('every package that npm can install has an integrity, but the builds for other platforms that `npm run lock` names', () => {
  const unverified = Object.entries(lock.packages).filter(
    ([path, { integrity, inBundle }]) => path !== '' && !inBundle && integrity === undefined,
  );
  const ofThisPlatform = unverified.filter(([, { optional, os }]) => !optional || os === undefined);
  expect(ofThisPlatform.map(([path]) => path)).toEqual([]);
  // The registry that wrote the lock has none of these: the number only falls.
  expect(unverified.length).toBeLessThanOrEqual(33);
});
