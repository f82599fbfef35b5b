import { describe, expect, it } from 'vitest';
import { filesIn, linesWith } from './sources.ts';

/** These files run in one process and share a server, see vitest.config.ts. */
const shared = filesIn('test/http/*.test.ts', 'test/http/journeys/*.test.ts');

describe('test files that share a server', () => {
  it('mock no modules, because a module is loaded once for all of them', () => {
    expect(linesWith(shared, /\bvi\.(?:do)?mock\(|\bmockClient\(/i)).toEqual([]);
  });

  it('start no server of their own and change no environment', () => {
    expect(linesWith(shared, /\bstartTestServer\(|\bwithOwnServer\(|\bstubEnv\(|\bprocess\.env\./)).toEqual([]);
  });
});
