import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { eventKindNames } from '#contract/events.ts';
import { routes } from '#contract/table.ts';
import { openapi } from '#shared/openapi.ts';
import manifest from '../../package.json' with { type: 'json' };

/**
 * The rules of `redocly recommended-strict` and `spectral:oas` that apply to the document, and those that generators of
 * clients need.
 */

type Json = Record<string, unknown>;

const document = openapi(routes, { version: manifest.version }) as unknown as {
  info: Json & { contact: Json; license: Json };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Json>>;
  webhooks: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object of the document with its pointer. */
const parts = (value: unknown, pointer = '#'): { pointer: string; part: Json }[] => {
  if (Array.isArray(value)) return value.flatMap((one, position) => parts(one, `${pointer}/${position}`));
  if (!isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, one]) => parts(one, `${pointer}/${key.replaceAll('/', '~1')}`));
  return [{ pointer, part: value }, ...below];
};
const all = parts(document);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation, id: String(operation.operationId) })),
);
const webhooks = Object.entries(document.webhooks).map(([kind, { post = {} }]) => ({ kind, operation: post }));
const ids = [...operations.map(({ id }) => id), ...webhooks.map(({ operation }) => String(operation.operationId))];

const repeated = (values: readonly string[]): string[] =>
  Object.entries(Object.groupBy(values, (value) => value)).flatMap(([value, same = []]) =>
    same.length > 1 ? [value] : [],
  );

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');
const complaints = (pointer: string, value: unknown): unknown => {
  const $ref = `document#${pointer.slice(1).split('/').map(encodeURIComponent).join('/')}`;
  return ajv.validate({ $ref }, value) ? null : ajv.errors;
};

it('the document names a contact, a licence and a server', () => {
  expect(document.info.contact.name).toEqual(expect.any(String));
  expect(document.info.license).toMatchObject({ name: 'MIT', identifier: 'MIT' });
  expect(document.servers.length).toBeGreaterThan(0);
  for (const { url } of document.servers) expect(url).toMatch(/^\/$|[^/]$/);
});

it('the document has sorted tags with descriptions, which its operations use', () => {
  const names = document.tags.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  for (const { description } of document.tags) expect(description).not.toBe('');
  const used = new Set([...operations, ...webhooks].flatMap(({ operation }) => operation.tags as string[]));
  expect([...used].toSorted()).toEqual(names);
});

it('the document has unique operation ids that are safe in a URL', () => {
  expect(repeated(ids.map((id) => id.toLowerCase()))).toEqual([]);
  for (const id of ids) expect(id).toMatch(/^[\w.-]+$/);
});

it('the document has a summary, a description, a success and a client error for every operation', () => {
  for (const { id, operation } of operations) {
    expect([id, String(operation.summary ?? '') !== '']).toEqual([id, true]);
    expect([id, String(operation.description ?? '') !== '']).toEqual([id, true]);
    const statuses = Object.keys(operation.responses as Json);
    expect([id, statuses.some((status) => status.startsWith('2'))]).toEqual([id, true]);
    expect([id, statuses.some((status) => status.startsWith('4'))]).toEqual([id, true]);
  }
});

it('the document declares exactly the variables of each path', () => {
  for (const { path, id, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = ((operation.parameters ?? []) as Json[]).filter((one) => one.in === 'path');
    expect([id, declared.map(({ name }) => name)]).toEqual([id, inPath]);
    expect(declared.every(({ required }) => required === true)).toBe(true);
    expect(path).not.toMatch(/.\/$|\?|\{\}/);
  }
});

it('the document has no ambiguous paths', () => {
  const isVariable = (step = '') => step.startsWith('{');
  const count = (steps: readonly string[]) => steps.filter(isVariable).length;
  const paths = Object.keys(document.paths).map((path) => path.split('/'));
  const ambiguous = paths.flatMap((one, position) =>
    paths
      .slice(position + 1)
      .filter(
        (other) =>
          one.length === other.length &&
          count(one) === count(other) &&
          one.every((step, index) => isVariable(step) || isVariable(other[index]) || step === other[index]),
      )
      .map((other) => [one.join('/'), other.join('/')]),
  );
  expect(ambiguous).toEqual([]);
});

it('the document describes every parameter and header', () => {
  const silent = all.filter(({ part }) => typeof part.in === 'string' && 'schema' in part && !part.description);
  expect(silent.map(({ pointer }) => pointer)).toEqual([]);
  for (const [name, header] of Object.entries(document.components.headers ?? {}))
    expect([name, header.description]).toEqual([name, expect.any(String)]);
});

it('the document uses every component', () => {
  const referenced = new Set(all.flatMap(({ part }) => (typeof part.$ref === 'string' ? [part.$ref] : [])));
  const schemes = new Set(
    all.flatMap(({ part }) => (Array.isArray(part.security) ? part.security : [])).flatMap(Object.keys),
  );
  for (const [kind, named] of Object.entries(document.components)) {
    for (const name of Object.keys(named)) {
      const isUsed = kind === 'securitySchemes' ? schemes.has(name) : referenced.has(`#/components/${kind}/${name}`);
      expect([kind, name, isUsed]).toEqual([kind, name, true]);
    }
  }
});

it('the document has references that only a description and a default stand beside', () => {
  const siblings = all
    .filter(({ part }) => typeof part.$ref === 'string')
    .flatMap(({ part }) => Object.keys(part).filter((key) => !['$ref', 'description', 'default'].includes(key)));
  expect(siblings).toEqual([]);
});

it('the document has examples and defaults that their schemas accept', () => {
  let checked = 0;
  for (const { pointer, part } of all) {
    const isSchema = 'type' in part || '$ref' in part;
    if (!isSchema || pointer.includes('/examples/')) continue;
    const values = [
      ...(Array.isArray(part.examples) ? part.examples : []),
      ...('default' in part ? [part.default] : []),
    ];
    for (const value of values) {
      // Parameters are sent as text and parsed; their defaults are the parsed values.
      expect([pointer, value, complaints(pointer, value)]).toEqual([pointer, value, null]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(20);
});

it('no enumeration stands in the document twice, and each has distinct values of one type', () => {
  const inline = all.filter(({ part }) => Array.isArray(part.enum) && part.type !== undefined);
  const codes = /^#\/components\/schemas\/\w+Error\/allOf\//;
  const values = inline.filter(({ pointer }) => !codes.test(pointer)).map(({ part }) => JSON.stringify(part.enum));
  expect(repeated(values)).toEqual([]);
  for (const { part } of inline) {
    expect(repeated((part.enum as unknown[]).map(String))).toEqual([]);
    expect((part.enum as unknown[]).every((value) => typeof value === 'string')).toBe(true);
  }
});

it('every error response refers to a schema with a name', () => {
  for (const [name, response] of Object.entries(document.components.responses ?? {})) {
    for (const { schema } of Object.values((response.content ?? {}) as Record<string, { schema: Json }>))
      expect([name, Object.keys(schema)]).toEqual([name, ['$ref']]);
  }
});

it('no two names differ in case or punctuation only, also those that are made from inline members', () => {
  const schemas = Object.entries(document.components.schemas ?? {});
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  expect(repeated(schemas.map(([name]) => plain(name)))).toEqual([]);
  const names = new Set(schemas.map(([name]) => plain(name)));
  const made = schemas.flatMap(([name, { properties }]) =>
    Object.entries((properties ?? {}) as Record<string, Json>)
      .map(([member, schema]) => [member, (schema.items ?? schema) as Json] as const)
      .filter(([, schema]) => 'properties' in schema || 'enum' in schema || 'oneOf' in schema)
      .map(([member]) => `${name} ${member}`),
  );
  expect(made.filter((name) => names.has(plain(name)))).toEqual([]);
});

it('every number has a format', () => {
  const numbers = all.filter(({ part }) => [part.type].flat().some((type) => type === 'integer' || type === 'number'));
  expect(numbers.filter(({ part }) => !part.format).map(({ pointer }) => pointer)).toEqual([]);
});

describe('rules of the service', () => {
  const schema = (name: string) => (value: unknown) => complaints(`#/components/schemas/${name}`, value) === null;
  const grant = { project_id: 'prj_1', placements: ['banner'] };

  it.each([
    ['a grant needs days or an end', 'PromotionGrant', grant, false],
    ['a grant takes days', 'PromotionGrant', { ...grant, days: 3 }, true],
    ['a grant takes an end', 'PromotionGrant', { ...grant, ends_at: '2027-01-01T00:00:00.000Z' }, true],
    ['a grant takes one of them', 'PromotionGrant', { ...grant, days: 3, ends_at: '2027-01-01T00:00:00.000Z' }, false],
    ['nothing is no tracked event', 'TrackedEvents', {}, false],
    ['a page view is one', 'TrackedEvents', { type: 'pageview', path: '/' }, true],
    ['a batch is one', 'TrackedEvents', { events: [{ type: 'pageview', path: '/' }] }, true],
    ['a project view names its project', 'TrackedEvents', { type: 'project_view', path: '/' }, false],
    [
      'bulk sets at most five categories',
      'BulkAction',
      { ids: ['a'], action: 'set_categories', categories: ['a', 'b', 'c', 'd', 'e', 'f'] },
      false,
    ],
    [
      'bulk sets five',
      'BulkAction',
      { ids: ['a'], action: 'set_categories', categories: ['a', 'b', 'c', 'd', 'e'] },
      true,
    ],
    ['an edit sets at most five', 'ProjectEdit', { categories: ['a', 'b', 'c', 'd', 'e', 'f'] }, false],
  ])('%s', (_, name, value, isValid) => {
    expect(schema(name)(value)).toBe(isValid);
  });

  it('an uploaded file is not empty', () => {
    const upload = all.find(({ part }) => part.contentMediaType === 'text/csv');
    expect(upload?.part).toMatchObject({ minLength: 1 });
  });

  it('lengths of trimmed texts say so', () => {
    const { name } = (document.components.schemas?.Submission?.properties ?? {}) as Record<string, Json>;
    expect(name?.description).toContain('The length counts after trimming.');
    expect(JSON.stringify(document)).not.toContain('x-trimmed');
  });
});

it('webhooks have every event, signed and without a credential of the service', () => {
  expect(webhooks.map(({ kind }) => kind)).toEqual(eventKindNames);
  for (const { kind, operation } of webhooks) {
    expect(operation).toMatchObject({ security: [], summary: expect.any(String), description: expect.any(String) });
    const { content } = operation.requestBody as { content: Record<string, { schema: { $ref: string } }> };
    const name = content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
    expect(document.components.schemas?.[name]).toMatchObject({ properties: { type: { const: kind } } });
  }
});
