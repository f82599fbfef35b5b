import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, linesWith } from './sources.ts';

/** The folders of `test/http/`: the domains of `shared/services/`, and what HTTP itself requires. */
const folders = [
  ...['projects', 'imports', 'categories', 'reactions', 'reports', 'payments', 'promotions', 'users', 'analytics'],
  ...['events', 'webhooks', 'dead-letters', 'mail', 'jobs', 'admin', 'site', 'protocol', 'unit'],
  'claims',
  'collections',
  'follows',
  'feeds',
  'fields',
  'mcp',
];

const files = filesIn('test/http/**/*.test.ts').filter((file) => !file.startsWith('test/http/unit/'));

/** These files run in one process and share a server, see vitest.config.ts. */
const shared = files.filter((file) => !/\.(?:own-server|full)\.test\.ts$/.test(file));

it('test files over HTTP are in the folder of a domain', () => {
  expect(files.filter((file) => !folders.includes(basename(dirname(file))))).toEqual([]);
});

it('test files that share a server mock no modules, because a module is loaded once for all of them', () => {
  expect(linesWith(shared, /\bvi\.(?:do)?mock\(|\bmockClient\(/i)).toEqual([]);
});

it('test files that share a server start no server of their own and change no environment', () => {
  expect(
    linesWith(shared, /\bstartTestServer\(|\b(?:withOwnServer|ownServer|ownDirectory)\(|\bstubEnv\(|\bprocess\.env\./),
  ).toEqual([]);
});
