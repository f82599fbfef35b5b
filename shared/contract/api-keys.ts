import * as z from 'zod';
import { blankAsNull, data, line, Timestamp, TimestampInput } from './fields.ts';
import { adminOnly, defineRoute, scopes } from './route.ts';

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

export const ListedApiKey = ApiKey.extend({
  created_by: z
    .object({
      id: z.string(),
      name: z.string().nullable(),
      is_admin: z.boolean().describe('Whether this is still an administrator. The key goes on without.'),
    })
    .nullable()
    .describe('Who made the key; null after the erasure of that user, which has revoked the key.'),
}).meta({ id: 'ListedApiKey' });
export type ListedApiKey = z.infer<typeof ListedApiKey>;

export const ApiKeyBody = z
  .object({
    name: line(1, 100).describe('The program that will use the key.'),
    scopes: z
      .array(ScopeName)
      .min(1, { error: 'must name at least one scope' })
      .max(scopes.length * 2)
      .overwrite((all) => scopes.filter((scope) => all.includes(scope))),
    expires_at: blankAsNull(TimestampInput.nullable())
      .optional()
      .describe('Must be in the future; null or absent: the key does not end.'),
  })
  .meta({ id: 'ApiKeyBody' });
export type ApiKeyBody = z.infer<typeof ApiKeyBody>;

export const list = defineRoute('apiKeys.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/keys',
  summary: 'List the API keys',
  description:
    'All of them, newest first, as many as one response holds: 5,000 or more. Revoked and expired keys stay listed.',
  responses: { 200: data(z.array(ListedApiKey)) },
  permissions: ['table:get', 'table:query'],
});

export const create = defineRoute('apiKeys.create', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/keys',
  summary: 'Create an API key',
  description:
    'For a program, which sends it as `Authorization: Bearer dk_…` and may use the routes that its scopes cover. The key itself is in this response only. Writes are audited under its name. It ends with the erasure of who made it.',
  body: ApiKeyBody,
  idempotent: true,
  responses: { 201: data(ApiKey.extend({ key: z.string().describe('`dk_` and 40 characters.') })) },
  permissions: ['table:get'],
  writes: ['api-keys', 'events'],
});

export const revoke = defineRoute('apiKeys.revoke', {
  ...adminOnly,
  method: 'DELETE',
  path: '/api/admin/keys/{key}',
  summary: 'Revoke an API key',
  description: 'At once and for good. Revoking it again changes nothing.',
  responses: { 200: data(ApiKey) },
  failures: ['NOT_FOUND'],
  permissions: [],
  writes: ['api-keys', 'events'],
});

export const current = defineRoute('apiKeys.current', {
  method: 'GET',
  path: '/api/keys/current',
  summary: 'Describe the API key in use',
  description: 'With a key of any scope; the token of a user is 403.',
  auth: 'user',
  scopes,
  tier: 'general',
  responses: { 200: data(ApiKey) },
  failures: ['FORBIDDEN'],
  permissions: [],
});
