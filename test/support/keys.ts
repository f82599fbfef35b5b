import { expect } from 'vitest';
import type { ApiKey } from '#contract/api-keys.ts';
import type { Scope } from '#contract/route.ts';
import type { Client } from './client.ts';
import { dataOf, type Person, unique } from './fixtures.ts';

/** The answer to the creation of an API key. */
export type CreatedKey = ApiKey & { readonly key: string };

export const createKey = async (
  server: Client,
  admin: Pick<Person, 'token'>,
  scopes: readonly Scope[],
  more: { name?: string; expires_at?: string | null } = {},
): Promise<CreatedKey> => {
  const body = { name: unique('Program'), scopes, ...more };
  const response = await server.call('POST', '/api/admin/keys', { token: admin.token, body });
  expect(response.status).toBe(201);
  return dataOf<CreatedKey>(response);
};

/** An API key in place of a person: the service user that it acts as. */
export const asPerson = ({ id, name, key }: CreatedKey): Person => ({ id, name, email: '', token: key });
