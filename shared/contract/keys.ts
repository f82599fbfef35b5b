import * as z from 'zod';
import { data, line, Timestamp, TimestampInput } from './fields.ts';
import { defineRoute, scopes } from './route.ts';

/** What an API key may be used for. */
export const ScopeName = z.enum(scopes).meta({ id: 'Scope' });

/** An API key, without the secret. */
export const ApiKey = z
  .object({
    id: z.string().describe('`key_` and a ULID. Also the id of the service user that the key acts as.'),
    name: z.string(),
    prefix: z.string().describe('The beginning of the key, by which it can be recognized.'),
    scopes: z.array(ScopeName).describe('What the key may be used for.'),
    created_at: Timestamp,
    expires_at: Timestamp.nullable().describe('The end of the key; null for none.'),
    last_used_on: z.iso.date().nullable().describe('The day of the latest use, UTC; null before the first.'),
    revoked_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyBody = z
  .object({
    name: line(1, 100).describe('The program that will use the key.'),
    scopes: z
      .array(ScopeName)
      .min(1, { error: 'must name at least one scope' })
      .max(scopes.length * 2)
      .overwrite((all) => scopes.filter((scope) => all.includes(scope))),
    expires_at: TimestampInput.nullable()
      .optional()
      .describe('Must be in the future; null or absent: the key does not end.'),
  })
  .meta({ id: 'ApiKeyBody' });
export type ApiKeyBody = z.infer<typeof ApiKeyBody>;

const common = { auth: 'admin', tier: 'admin', scopes: [], moderators: false } as const;

export const list = defineRoute('keys.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/keys',
  summary: 'List the API keys',
  description: 'All of them, newest first. Revoked and expired keys stay listed.',
  replies: { 200: data(z.array(ApiKey)) },
  permissions: ['table:query'],
});

export const create = defineRoute('keys.create', {
  ...common,
  method: 'POST',
  path: '/api/admin/keys',
  summary: 'Create an API key',
  description:
    'For a program, which sends it as `Authorization: Bearer dk_…` and may use the routes that its scopes cover. The key itself is in this response only. Writes are audited under its name.',
  body: ApiKeyBody,
  replies: { 201: data(ApiKey.extend({ key: z.string().describe('`dk_` and 40 characters.') })) },
  permissions: ['table:write'],
});

export const revoke = defineRoute('keys.revoke', {
  ...common,
  method: 'DELETE',
  path: '/api/admin/keys/{key}',
  summary: 'Revoke an API key',
  description: 'At once and for good. Revoking it again changes nothing.',
  replies: { 200: data(ApiKey) },
  failures: ['NOT_FOUND'],
  permissions: ['table:write'],
});

export const current = defineRoute('keys.current', {
  method: 'GET',
  path: '/api/keys/current',
  summary: 'Describe the API key in use',
  description: 'With a key of any scope; the token of a user is 403.',
  auth: 'user',
  scopes,
  tier: 'general',
  replies: { 200: data(ApiKey) },
  failures: ['FORBIDDEN'],
  permissions: [],
});
