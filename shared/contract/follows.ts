import * as z from 'zod';
import type { FieldIssue } from '#shared/errors.ts';
import { trimmed } from './characters.ts';
import { data, deleted, optionalLine, parsed, Timestamp, wellFormed } from './fields.ts';
import { map } from './projects.ts';
import { defineRoute } from './route.ts';

/** The most follows of a user. */
export const FOLLOWS_MAX = 50;

const { zoom: _zoom, ...filters } = map.query.shape;

/** The filters of lists as lists read them. */
export const ListFilters = z.object(filters);
export type ListFilters = z.output<typeof ListFilters>;

/** The parameter that filters by a field. */
const FIELD_FILTER = /^filter\[([^[\]]*)\]$/;

/** The key of the field that a member of a query filters by; undefined for other members. */
export const fieldKeyOf = (name: string): string | undefined => FIELD_FILTER.exec(name)?.[1];

/** The filters of a list as they are written in an address. */
type WrittenFilters = Readonly<Record<string, string>>;

/** The parameters of a list with this query. */
const parametersOf = (query: WrittenFilters): Record<string, unknown> => {
  const parameters: Record<string, unknown> = {};
  const filter: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const key = fieldKeyOf(name);
    if (key === undefined) parameters[name] = value;
    else filter[key] = value;
  }
  return Object.keys(filter).length > 0 ? { ...parameters, filter } : parameters;
};

/** Where an issue about parameters is in a query. */
const inQuery = ({ path: [name, key, ...rest], message }: FieldIssue): FieldIssue => {
  if (name === undefined) return { path: [], message };
  return { path: name === 'filter' && key !== undefined ? [`filter[${String(key)}]`, ...rest] : [name], message };
};

const isFilter = ({ category, sphere, tag, pricing, q, bbox, near, filter }: ListFilters): boolean =>
  [category, sphere, tag].some((values) => values !== undefined && values.length > 0) ||
  pricing !== 'all' ||
  [q, bbox, near, filter].some((value) => value !== undefined);

/** The filters of a query, checked as a list checks them, or why it is invalid. */
export const filtersOf = (
  query: WrittenFilters,
): { readonly filters: ListFilters; readonly issues?: never } | { readonly issues: readonly FieldIssue[] } => {
  const result = parsed(ListFilters, parametersOf(query));
  if (result.issues) return { issues: result.issues.map(inQuery) };
  if (!isFilter(result.data)) return { issues: [{ path: [], message: 'must have at least one filter' }] };
  return { filters: result.data };
};

const { filter: _filter, ...named } = filters;

const Written = wellFormed(z.string());

/** The size of a query, in bytes of its JSON. */
const QUERY_BYTES_MAX = 8192;

const isFilterName = (name: string): boolean => Object.hasOwn(named, name) || fieldKeyOf(name) !== undefined;

/** The filters among the members of a body. Blank ones count as absent, as they do in an address. */
const FollowQuery = z
  .object(
    Object.fromEntries(
      Object.entries(named).map(([name, schema]) => [
        name,
        Written.optional().describe(schema.meta()?.description ?? ''),
      ]),
    ),
  )
  .catchall(z.unknown())
  .transform((given, { issues }) => {
    const query: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      if (!isFilterName(name)) continue;
      const reject = (message: string): void =>
        void issues.push({ code: 'custom', path: [name], message, input: value });
      const text = Written.safeParse(value);
      // Objects do not keep it as a member.
      if (fieldKeyOf(name) === '__proto__') reject('must be a key');
      else if (!text.success) reject('must be text');
      else if (trimmed(text.data) !== '') query[name] = trimmed(text.data);
    }
    if (issues.length > 0) return query;
    for (const { path, message } of filtersOf(query).issues ?? []) {
      issues.push({ code: 'custom', path: [...path], message, input: given });
    }
    return query;
  })
  .refine((query) => new TextEncoder().encode(JSON.stringify(query)).length <= QUERY_BYTES_MAX, {
    error: `must have at most ${QUERY_BYTES_MAX} bytes as JSON`,
  })
  .describe('At least one filter of `GET /api/projects`, as text; those of fields as members `filter[<key>]`.');

export const Frequency = z.enum(['daily', 'weekly']);

const FollowBody = z
  .object({
    query: FollowQuery,
    name: optionalLine(100).optional().describe('The title in the digest; by default its filters in words.'),
    frequency: Frequency.describe('How often it is in the digest: each day, or on Mondays.'),
  })
  .meta({ id: 'FollowBody' });
export type FollowBody = z.output<typeof FollowBody>;

export const Follow = z
  .object({
    id: z.string().describe('`fol_` and a ULID.'),
    query: z.record(z.string(), z.string()).describe('The filters, as they were sent.'),
    name: z.string().nullable(),
    frequency: Frequency,
    is_valid: z
      .boolean()
      .describe(
        'False while none of its categories or spheres exists, or a filter is not one of the list. The digest leaves it out then.',
      ),
    created_at: Timestamp,
  })
  .meta({ id: 'Follow' });
export type Follow = z.infer<typeof Follow>;

const own = { feature: 'follows', auth: 'user', tier: 'general' } as const;

export const list = defineRoute('follows.list', {
  ...own,
  method: 'GET',
  path: '/api/me/follows',
  summary: "List the caller's follows",
  description: `The newest first; at most ${FOLLOWS_MAX}. Only their user sees them.`,
  responses: { 200: data(z.array(Follow)) },
  permissions: ['table:get', 'table:query', 'catalog'],
});

export const create = defineRoute('follows.create', {
  ...own,
  method: 'POST',
  path: '/api/me/follows',
  summary: 'Follow a category, a search or a place',
  description: `New listings that match the filters are in the digest, which has the preference \`follow_digest\`. A query that the caller follows already answers that follow, unchanged. At most ${FOLLOWS_MAX} per user.`,
  body: FollowBody,
  idempotent: true,
  responses: { 201: data(Follow), 200: data(Follow) },
  failures: ['LIMIT_REACHED'],
  permissions: ['table:get', 'table:query', 'catalog'],
  writes: ['follows'],
});

export const remove = defineRoute('follows.remove', {
  ...own,
  method: 'DELETE',
  path: '/api/me/follows/{follow}',
  summary: 'Remove a follow',
  description: 'By its user; 404 for all others.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: ['table:query'],
  writes: ['follows'],
});
