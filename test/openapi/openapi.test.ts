import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { commaSeparated, paging } from '#contract/fields.ts';
import { defineRoute, type Feature, features, type Route, type RouteDeclaration } from '#contract/route.ts';
import { failuresOf } from '#shared/openapi/failures.ts';
import { openapi } from '#shared/openapi.ts';

const route = (more: Partial<RouteDeclaration> = {}): Route =>
  defineRoute('projects.probe', {
    method: 'GET',
    path: '/api/probe',
    summary: 'Probe',
    auth: 'public',
    tier: 'general',
    replies: { 200: z.object({ data: z.string() }) },
    needs: [],
    ...more,
  });

interface Described {
  readonly parameters?: readonly Record<string, unknown>[];
  readonly requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> };
  readonly responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
  readonly security: unknown;
}

const documentOf = (...routes: readonly Route[]) => openapi(routes, { version: '0.0.0' });
const described = (more: Partial<RouteDeclaration>): Described => {
  const one = route(more);
  return documentOf(one).paths[one.path]?.[one.method.toLowerCase()] as unknown as Described;
};
const parameter = (query: z.ZodObject, name: string) =>
  described({ query }).parameters?.find((one) => one.name === name);

describe('failures', () => {
  const alone = ['RATE_LIMITED', 'INTERNAL', 'TIMEOUT'];
  it.each<[string, Partial<RouteDeclaration>, readonly string[]]>([
    ['a plain route', {}, alone],
    ['a route that is never limited', { tier: 'none' }, ['INTERNAL', 'TIMEOUT']],
    ['a feature', { feature: 'map' }, ['NOT_FOUND', ...alone]],
    ['a path variable', { path: '/api/probe/{project}' }, ['NOT_FOUND', ...alone]],
    ['a login', { auth: 'user' }, ['UNAUTHORIZED', ...alone]],
    ['a login that writes', { auth: 'user', method: 'POST' }, ['UNAUTHORIZED', 'FORBIDDEN', 'BANNED', ...alone]],
    ['an optional login', { auth: 'optional' }, alone],
    ['administrators', { auth: 'admin' }, ['FORBIDDEN', ...alone]],
    ['the shared secret', { auth: 'cron', method: 'POST' }, ['UNAUTHORIZED', ...alone]],
    ['a signature', { auth: 'signature', method: 'POST' }, ['INVALID_SIGNATURE', ...alone]],
    ['a query', { query: z.object({}) }, ['INVALID_INPUT', ...alone]],
    [
      'a body',
      { method: 'POST', body: z.object({}) },
      ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', ...alone],
    ],
    ['If-Match', { ifMatch: true }, ['STALE', ...alone]],
    ['its own work', { failures: ['SLUG_TAKEN'] }, ['SLUG_TAKEN', ...alone]],
  ])('of %s', (_, more, codes) => {
    expect(failuresOf(route(more)).toSorted()).toEqual(codes.toSorted());
  });

  it('with one status share a response that lists their codes', () => {
    const document = documentOf(route({ failures: ['SLUG_TAKEN', 'DUPLICATE_URL'] }));
    const response = document.components.responses?.SlugTakenOrDuplicateUrl as Described['responses'][string];
    expect(JSON.stringify(response)).toContain('"enum":["SLUG_TAKEN","DUPLICATE_URL"]');
    expect(Object.keys(document.paths['/api/probe']?.get?.responses ?? {})).toContain('409');
  });
});

describe('query parameters', () => {
  it('show numbers as numbers, with their bounds and default', () => {
    const { page, limit } = paging(40);
    expect(parameter(z.object({ page, limit }), 'limit')).toMatchObject({
      in: 'query',
      description: 'Items per page.',
      schema: { type: 'integer', default: 40, minimum: 1, maximum: 100 },
    });
  });

  it('are required when the schema takes nothing in their place', () => {
    expect(parameter(z.object({ placement: z.string() }), 'placement')).toMatchObject({ required: true });
    expect(parameter(z.object({ q: z.string().optional() }), 'q')).not.toHaveProperty('required');
    expect(parameter(z.object({ q: z.string().default('x') }), 'q')).not.toHaveProperty('required');
  });

  it('carry lists as one value with commas', () => {
    expect(parameter(z.object({ ids: commaSeparated(100) }), 'ids')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', maxItems: 100, items: { type: 'string' } },
    });
  });

  it('show tuples of numbers as lists of a fixed length', () => {
    const Number_ = z.string().transform(Number);
    const Point = z
      .string()
      .transform((value) => value.split(','))
      .pipe(z.tuple([Number_, Number_]));
    expect(parameter(z.object({ near: Point }), 'near')).toMatchObject({
      explode: false,
      schema: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' } },
    });
  });

  it('fall back to what the caller writes when a transformation hides the result', () => {
    const sort = z
      .enum(['newest', 'name'])
      .default('newest')
      .transform((key) => ({ key }));
    expect(parameter(z.object({ sort }), 'sort')?.schema).toEqual({
      type: 'string',
      enum: ['newest', 'name'],
      default: 'newest',
    });
  });
});

describe('bodies', () => {
  const bodyOf = (body: z.ZodType) => described({ method: 'POST', body }).requestBody;

  it('are shown as the caller writes them, with bounds that are checked behind a transformation', () => {
    const Names = z
      .array(z.string())
      .transform((names) => [...new Set(names)])
      .pipe(z.array(z.string()).min(1).max(5));
    expect(
      bodyOf(z.object({ names: Names, at: z.string().default('now') }))?.content['application/json']?.schema,
    ).toEqual({
      type: 'object',
      properties: {
        names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
        at: { type: 'string', default: 'now' },
      },
      required: ['names'],
    });
  });

  it('are required unless nothing is taken as well', () => {
    expect(bodyOf(z.object({}))).toMatchObject({ required: true });
    expect(bodyOf(z.object({}).optional())).not.toHaveProperty('required');
  });

  it('say null in the type, and once that a string may be empty', () => {
    const Text = z.string().max(9).nullable().describe('Words.');
    const body = z.object({ a: Text, b: z.union([z.literal('').transform(() => null), Text]) });
    const word = { description: 'Words.', type: ['string', 'null'], maxLength: 9 };
    expect(bodyOf(body)?.content['application/json']?.schema).toMatchObject({ properties: { a: word, b: word } });
  });

  it('must be described when they are multipart', () => {
    expect(() => described({ method: 'POST', bodyKind: 'multipart' })).toThrow(/projects\.probe.*multipart/);
  });
});

describe('components', () => {
  it('hold schemas with a name once, whoever uses them', () => {
    const Thing = z.object({ id: z.string() }).meta({ id: 'Thing' });
    const document = documentOf(route({ method: 'PUT', body: Thing, replies: { 200: z.array(Thing) } }));
    expect(Object.keys(document.components.schemas ?? {})).toEqual(['Error', 'Thing']);
  });

  it('have two names when sender and reader see different things, also through each other', () => {
    const Part = z.object({ size: z.int().default(1) }).meta({ id: 'Part' });
    const Whole = z.object({ part: Part }).meta({ id: 'Whole' });
    const document = documentOf(route({ method: 'PUT', body: Whole, replies: { 200: Whole } }));
    const { schemas = {} } = document.components;
    expect(Object.keys(schemas)).toEqual(['Error', 'Part', 'PartInput', 'Whole', 'WholeInput']);
    expect(schemas.WholeInput).toMatchObject({ properties: { part: { $ref: '#/components/schemas/PartInput' } } });
    expect(schemas.Whole).toMatchObject({ properties: { part: { $ref: '#/components/schemas/Part' } } });
  });
});

describe('features', () => {
  const all = Object.fromEntries(features.map((feature) => [feature, true])) as Record<Feature, boolean>;
  const Note = z.object({ text: z.string() }).meta({ id: 'Note' });
  const routes = [
    route(),
    defineRoute('comments.probe', { ...route(), path: '/api/notes', feature: 'comments', replies: { 200: Note } }),
  ];

  it('are all in the document unless it is said which are on', () => {
    const document = openapi(routes, { version: '0' });
    expect(Object.keys(document.paths)).toEqual(['/api/probe', '/api/notes']);
    expect(document.paths['/api/notes']?.get?.['x-feature']).toBe('comments');
  });

  it('leave with their paths, tags and components when they are off', () => {
    const document = openapi(routes, { version: '0', features: { ...all, comments: false } });
    expect(Object.keys(document.paths)).toEqual(['/api/probe']);
    expect(document.tags.map(({ name }) => name)).toEqual(['projects']);
    expect(Object.keys(document.components.schemas ?? {})).toEqual(['Error']);
    expect(Object.keys(document.components.securitySchemes ?? {})).not.toEqual([]);
  });
});

describe('replies', () => {
  it('of text and streams show their own type and no schema of ours', () => {
    const csv = { stream: true, contentType: 'text/csv; charset=utf-8', description: 'Lines.' } as const;
    const { responses } = described({ replies: { 200: csv } });
    expect(responses['200']).toMatchObject({
      description: 'Lines.',
      content: { [csv.contentType]: { schema: { type: 'string' } } },
    });
    expect(responses).not.toHaveProperty('304');
  });

  it('of GET can be 304, of others not', () => {
    expect(described({}).responses).toHaveProperty('304');
    expect(described({ method: 'POST' }).responses).not.toHaveProperty('304');
  });

  it.each([
    ['public', []],
    ['optional', [{}, { bearer: [] }, { cookie: [] }]],
    ['user', [{ bearer: [] }, { cookie: [] }]],
    ['admin', [{ bearer: [] }, { cookie: [] }]],
    ['cron', [{ cronSecret: [] }]],
    ['signature', [{ stripeSignature: [] }]],
  ] as const)('ask %s callers for their credential', (auth, security) => {
    expect(described({ auth }).security).toEqual(security);
  });

  it('always come out the same', () => {
    const text = () =>
      JSON.stringify(documentOf(route({ auth: 'user', method: 'POST', body: z.object({ a: z.string() }) })));
    expect(text()).toBe(text());
  });
});
