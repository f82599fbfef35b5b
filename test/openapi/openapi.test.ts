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
    permissions: [],
    ...more,
  } as RouteDeclaration);

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
/** The names of the schemas but those of error responses and codes. */
const ownSchemas = (document: ReturnType<typeof documentOf>): string[] =>
  Object.keys(document.components.schemas ?? {}).filter((name) => !/.Error$|^ErrorCode$/.test(name));
const parameter = (query: z.ZodObject, name: string) =>
  described({ query }).parameters?.find((one) => one.name === name);

describe('error codes', () => {
  const always = ['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'TIMEOUT'];
  it.each<[string, Partial<RouteDeclaration>, readonly string[]]>([
    ['a plain route', {}, always],
    ['a route without a rate limit', { tier: 'none' }, ['INTERNAL', 'UNAVAILABLE', 'TIMEOUT']],
    ['a route of a feature', { feature: 'map' }, ['NOT_FOUND', ...always]],
    ['a route with a path variable', { path: '/api/probe/{project}' }, ['NOT_FOUND', ...always]],
    ['a read by an authenticated user', { auth: 'user' }, ['UNAUTHORIZED', 'SCOPE', ...always]],
    [
      'a write by an authenticated user',
      { auth: 'user', method: 'POST' },
      ['UNAUTHORIZED', 'SCOPE', 'FORBIDDEN', 'BANNED', ...always],
    ],
    [
      'a write that banned users may use',
      { auth: 'user', method: 'POST', allowsBanned: true },
      ['UNAUTHORIZED', 'SCOPE', 'FORBIDDEN', ...always],
    ],
    ['a route with optional authentication', { auth: 'optional' }, always],
    ['a route for administrators', { auth: 'admin' }, ['FORBIDDEN', 'BANNED', 'SCOPE', ...always]],
    ['a job route', { auth: 'cron', method: 'POST' }, ['UNAUTHORIZED', ...always]],
    ['a route with a signed body', { auth: 'signature', method: 'POST' }, ['INVALID_SIGNATURE', ...always]],
    ['a route with a query', { query: z.object({}) }, ['INVALID_INPUT', ...always]],
    [
      'a route with a body',
      { method: 'POST', body: z.object({}) },
      ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', ...always],
    ],
    ['a route with If-Match', { ifMatch: true }, ['STALE', ...always]],
    ['a route that declares errors', { failures: ['SLUG_TAKEN'] }, ['SLUG_TAKEN', ...always]],
  ])('of %s are listed completely', (_, more, codes) => {
    expect(failuresOf(route(more)).toSorted()).toEqual(codes.toSorted());
  });

  it('with the same status share a response that lists them', () => {
    const document = documentOf(route({ failures: ['SLUG_TAKEN', 'DUPLICATE_URL'] }));
    const response = document.components.responses?.SlugTakenOrDuplicateUrl as Described['responses'][string];
    expect(response.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/SlugTakenOrDuplicateUrlError',
    });
    expect(JSON.stringify(document.components.schemas?.SlugTakenOrDuplicateUrlError)).toContain(
      '"enum":["SLUG_TAKEN","DUPLICATE_URL"]',
    );
    expect(Object.keys(document.paths['/api/probe']?.get?.responses ?? {})).toContain('409');
  });
});

describe('query parameters', () => {
  it('have the type number with bounds and default for numeric fields', () => {
    const { page, limit } = paging(40);
    expect(parameter(z.object({ page, limit }), 'limit')).toMatchObject({
      in: 'query',
      description: 'Items per page.',
      schema: { type: 'integer', default: 40, minimum: 1, maximum: 100 },
    });
  });

  it('are required when the schema accepts no missing value', () => {
    expect(parameter(z.object({ placement: z.string() }), 'placement')).toMatchObject({ required: true });
    expect(parameter(z.object({ q: z.string().optional() }), 'q')).not.toHaveProperty('required');
    expect(parameter(z.object({ q: z.string().default('x') }), 'q')).not.toHaveProperty('required');
  });

  it('have lists as one comma-separated value', () => {
    expect(parameter(z.object({ ids: commaSeparated(100) }), 'ids')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', maxItems: 100, items: { type: 'string' } },
    });
  });

  it('have tuples of numbers as arrays of a fixed length', () => {
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

  it('have the input schema when a transformation hides the output', () => {
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

  it('have the input schema, with the bounds that are checked after a transformation', () => {
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

  it('are required unless the schema is optional', () => {
    expect(bodyOf(z.object({}))).toMatchObject({ required: true });
    expect(bodyOf(z.object({}).optional())).not.toHaveProperty('required');
  });

  it('list null in the type and merge the empty string into the string schema', () => {
    const Text = z.string().max(9).nullable().describe('Words.');
    const body = z.object({ a: Text, b: z.union([z.literal('').transform(() => null), Text]) });
    const word = { description: 'Words.', type: ['string', 'null'], maxLength: 9 };
    expect(bodyOf(body)?.content['application/json']?.schema).toMatchObject({ properties: { a: word, b: word } });
  });

  it('need a schema when they are multipart', () => {
    expect(() => described({ method: 'POST', bodyKind: 'multipart' })).toThrow(/projects\.probe.*multipart/);
  });
});

describe('components', () => {
  it('contain a named schema once, however many operations use it', () => {
    const Thing = z.object({ id: z.string() }).meta({ id: 'Thing' });
    const document = documentOf(route({ method: 'PUT', body: Thing, replies: { 200: z.array(Thing) } }));
    expect(ownSchemas(document)).toEqual(['Error', 'Thing']);
  });

  it('have two names when input and output differ, also for schemas that refer to such a schema', () => {
    const Part = z.object({ size: z.int().default(1) }).meta({ id: 'Part' });
    const Whole = z.object({ part: Part }).meta({ id: 'Whole' });
    const document = documentOf(route({ method: 'PUT', body: Whole, replies: { 200: Whole } }));
    const { schemas = {} } = document.components;
    expect(ownSchemas(document)).toEqual(['Error', 'Part', 'PartInput', 'Whole', 'WholeInput']);
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

  it('are all documented by default', () => {
    const document = openapi(routes, { version: '0' });
    expect(Object.keys(document.paths)).toEqual(['/api/probe', '/api/notes']);
    expect(document.paths['/api/notes']?.get?.['x-feature']).toBe('comments');
  });

  it('are removed with their paths, tags and components when disabled', () => {
    const document = openapi(routes, { version: '0', features: { ...all, comments: false } });
    expect(Object.keys(document.paths)).toEqual(['/api/probe']);
    expect(document.tags.map(({ name }) => name)).toEqual(['projects']);
    expect(ownSchemas(document)).toEqual(['Error']);
    expect(Object.keys(document.components.securitySchemes ?? {})).not.toEqual([]);
  });
});

describe('responses', () => {
  it('of text and streams have their content type and a string schema', () => {
    const csv = { stream: true, contentType: 'text/csv; charset=utf-8', description: 'Lines.' } as const;
    const { responses } = described({ replies: { 200: csv } });
    expect(responses['200']).toMatchObject({
      description: 'Lines.',
      content: { [csv.contentType]: { schema: { type: 'string' } } },
    });
    expect(responses).not.toHaveProperty('304');
  });

  it('include 304 for GET only', () => {
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
  ] as const)('list the security schemes of %s routes', (auth, security) => {
    expect(described({ auth }).security).toEqual(security);
  });

  it('are identical in every generation', () => {
    const text = () =>
      JSON.stringify(documentOf(route({ auth: 'user', method: 'POST', body: z.object({ a: z.string() }) })));
    expect(text()).toBe(text());
  });
});
