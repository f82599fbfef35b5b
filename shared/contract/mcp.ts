import * as z from 'zod';
import { Reference, wellFormed } from './fields.ts';
import { list, map, SubmissionFields, submit } from './projects.ts';
import { defineRoute } from './route.ts';

/** The largest request, in bytes. */
const BODY_BYTES_MAX = 64 * 1024;

const Message = z.looseObject({ jsonrpc: z.literal('2.0'), method: wellFormed(z.string()).optional() });

/** A message of JSON-RPC 2.0; revisions before 2025-06-18 also send several. */
export const Messages = z.union([Message, z.array(Message).min(1)]).meta({ id: 'JsonRpcMessages' });
export type Messages = z.infer<typeof Messages>;

export const call = defineRoute('mcp.call', {
  method: 'POST',
  path: '/mcp',
  summary: 'Call the Model Context Protocol',
  description:
    'Streamable HTTP of revision 2026-07-28, and without sessions of the revisions from 2025-03-26 on. The tools `search_listings`, `get_listing` and `list_categories` need no credential; ' +
    '`submit_listing` needs an access token, or an API key with `projects:write`, and counts in the tier `submission` too. Subscriptions are refused.',
  auth: 'optional',
  scopes: ['projects:write'],
  tier: 'general',
  secondTier: 'submission',
  feature: 'mcp',
  ownOrigin: true,
  allowsBanned: true,
  allowsUnverified: true,
  jsonRpc: true,
  body: Messages,
  bodyBytesMax: BODY_BYTES_MAX,
  responses: {
    200: {
      stream: false,
      contentType: 'application/json; charset=utf-8',
      otherTypes: ['text/event-stream'],
      description: 'The response in JSON-RPC; to revisions before 2026-07-28 as one server-sent event.',
    },
    202: {
      stream: false,
      contentType: 'text/plain; charset=utf-8',
      description: 'A notification was accepted; empty.',
    },
  },
  failures: ['UNAUTHORIZED'],
  permissions: submit.permissions,
  writes: submit.writes,
});

export const readResource = defineRoute('mcp.readResource', {
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  summary: 'Read who issues access tokens for the Model Context Protocol',
  description: 'The metadata of RFC 9728.',
  auth: 'public',
  tier: 'general',
  feature: 'mcp',
  responses: {
    200: z
      .object({
        resource: z.string().describe('The address of the protected resource.'),
        authorization_servers: z.array(z.string()).describe('The issuers of its access tokens.'),
        bearer_methods_supported: z.array(z.string()),
        resource_name: z.string(),
      })
      .meta({ id: 'ProtectedResource' }),
  },
  permissions: ['table:query', 'sign-in'],
  cacheSeconds: 300,
});

const { zoom: _zoom, q, match: _match, radius_km: radius, ...filters } = map.query.shape;

/** The most listings in the result of a search. */
const LIMIT_MAX = 20;
const LIMIT_DEFAULT = 10;

/** The arguments of the tools. Names and bounds are those of the routes. */
export const toolArguments = {
  search_listings: z.object({
    query: q.describe('What to look for, in words; typos are tolerated. Best matches first. Without it, newest first.'),
    ...filters,
    radius_km: z
      .union([z.number().transform(String), z.string()])
      .default('25')
      .pipe(radius.unwrap())
      .describe('Used with `near`.'),
    limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
    cursor: list.query.shape.cursor.describe('`next_cursor` of the result before, with the same other arguments.'),
  }),
  get_listing: z.object({ id: Reference.describe('The id or slug of a listing.') }),
  list_categories: z.object({}),
  submit_listing: SubmissionFields,
} as const;
