import * as fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import * as projects from '#contract/projects.ts';
import { routes } from '#contract/table.ts';
import type { CallResponse } from '#test/support/client.ts';
import { arbitraryOf, type GeneratedOperation, generatedOperations } from '#test/support/generated-requests.ts';
import { document } from '#test/support/operations.ts';
import { sampleOf } from '#test/support/sample.ts';
import { seed } from '#test/support/seed.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** The limits that the OpenAPI document states for fields and query parameters are those that the routes enforce. */

const server = await ownServer({ env: { FEATURE_AI: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' } });
const seeded = await seed(server);
const project = seeded.pathOf(projects.purge).split('/').at(-1);

type Schema = Parameters<typeof arbitraryOf>[0];

/** A field of a body with the constants that select its form, or a query parameter. */
interface Field {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  readonly isRequired?: boolean;
  /** Whether every value is sent as a text, and a blank one is absent. */
  readonly isText?: boolean;
  readonly constants: readonly (readonly [path: Field['path'], value: unknown])[];
}

const resolved = (schema: Schema): Schema => {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : resolved(document.components.schemas?.[name] as Schema);
};

/** The schemas of the values that are not null or empty. */
const alternativesOf = (given: Schema): Schema[] => {
  const schema = resolved(given);
  const choices = schema.oneOf ?? schema.anyOf;
  if (!choices || schema.properties) return schema.type === 'null' || schema.const === '' ? [] : [schema];
  return choices.flatMap(alternativesOf);
};

const fieldsOf = (given: Schema, path: Field['path'], constants: Field['constants'], isRequired = false): Field[] =>
  alternativesOf(given).flatMap((schema) => {
    const field = { path, schema, constants, isRequired };
    if (schema.type === 'array') return [field, ...fieldsOf(schema.items ?? {}, [...path, 0], constants)];
    if (!schema.properties) return [field];
    const { required = [] } = schema;
    const members = Object.entries(schema.properties).map(([name, one]) => [[...path, name], resolved(one)] as const);
    const own = members.flatMap(([at, one]) => ('const' in one ? [[at, one.const] as const] : []));
    return members.flatMap(([at, one]) =>
      'const' in one ? [] : fieldsOf(one, at, [...constants, ...own], required.includes(String(at.at(-1)))),
    );
  });

const LONGER = 'x'.repeat(20_001);
/** Long texts by the format that they have. */
const long: Readonly<Record<string, string>> = {
  uri: `https://example.com/${LONGER}`,
  host: 'x.'.repeat(200),
};

/** Values at the limits of a schema, and values beyond them. */
const aroundLimits = ({
  schema,
  isText = false,
  isRequired = false,
}: Field): { within: unknown[]; beyond: unknown[] } => {
  const types = [schema.type].flat();
  const { minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems, items = {} } = schema;
  const isPlain = schema.pattern === undefined && schema.format === undefined;
  const within: unknown[] = [];
  // A field without a type takes every value.
  const isAny = schema.type === undefined && schema.enum === undefined;
  const beyond: unknown[] = isText || isAny || types.includes('object') ? [] : [{ of: 'another type' }];
  if (isRequired) beyond.push(undefined);
  if (schema.enum) {
    within.push(...schema.enum);
    beyond.push('nonsense', 5);
  } else if (types.includes('string')) {
    if (!isText) beyond.push(5, ...(minLength > 0 && !types.includes('null') ? ['  '] : []));
    const textOf = (length: number) => (long[schema.format ?? ''] ?? LONGER).slice(0, length);
    if (maxLength !== undefined) beyond.push(textOf(maxLength + 1));
    if (maxLength !== undefined && (schema.format ?? '') in long) within.push(textOf(maxLength));
    // The limit counts code points.
    if (maxLength !== undefined && isPlain) within.push(textOf(maxLength), '🍺'.repeat(maxLength));
    if (!isPlain) beyond.push('Not/A,Valid Value');
  } else if (types.includes('integer') || types.includes('number')) {
    beyond.push('nonsense', ...(types.includes('integer') ? [1.5] : []));
    if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) beyond.push(minimum - 1);
    if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) beyond.push(maximum + 1);
    within.push(...[minimum, maximum].filter((value) => value !== undefined));
  } else if (types.includes('boolean')) {
    beyond.push('yes', 1);
  } else if (types.includes('array')) {
    beyond.push('nonsense', ...(minItems > 0 ? [[]] : []));
    const some = (count: number) => fc.sample(arbitraryOf(items, {}, ''), { numRuns: count, seed: 1 });
    if (maxItems !== undefined) {
      within.push(some(maxItems));
      beyond.push(some(maxItems + 1));
    }
  } else if (types.includes('object')) beyond.push('nonsense', 5);
  return { within, beyond };
};

const bodyOf = ({ path, constants }: Field, value: unknown): unknown => {
  const root: Record<string | number, unknown> = {};
  for (const [at, one] of [...constants, [path, value] as const]) {
    let level = root;
    for (const [position, step] of ['body', ...at].entries()) {
      const next = at[position];
      if (next === undefined) level[step] = one;
      else level[step] ??= typeof next === 'number' ? [] : {};
      level = level[step] as typeof level;
    }
  }
  return root.body;
};

/** Fields with further rules, which reject values within the limits. */
const FURTHER_RULES = new Set([
  'categories',
  'longitude',
  'into',
  'fonts',
  'radius',
  'cursor',
  'state',
  'project_ids',
  'options',
]);

/** Fails the test unless values beyond the limits of each field are errors of this field, and values within are not. */
const expectLimits = async (
  fields: readonly Field[],
  request: (field: Field, value: unknown) => Promise<CallResponse>,
): Promise<void> => {
  const wrong: unknown[] = [];
  for (const field of fields) {
    const isRejected = async (value: unknown): Promise<boolean> => {
      const { status, body } = await request(field, value);
      type Details = { readonly [step: string]: Details } & { readonly _errors?: readonly string[] };
      let level: Details | undefined = (body as { details?: Details }).details;
      for (const step of field.path) level = level?.[step];
      return status === 400 && (level?._errors ?? []).length > 0;
    };
    const { within, beyond } = aroundLimits(field);
    for (const value of beyond) if (!(await isRejected(value))) wrong.push([...field.path, 'takes', value]);
    if (FURTHER_RULES.has(String(field.path[0]))) continue;
    for (const value of within) if (await isRejected(value)) wrong.push([...field.path, 'rejects', value]);
  }
  expect(wrong).toEqual([]);
};

const named = (fieldsFor: (operation: GeneratedOperation) => readonly Field[]) =>
  routes.flatMap((route, position) => {
    // Pages show their messages on the page, and JSON-RPC has errors of its own.
    const operation =
      route.errorPages || route.jsonRpc ? undefined : generatedOperations.find(({ id }) => id === route.id);
    const fields = operation ? sampleOf(fieldsFor(operation), position) : [];
    return fields.length > 0 ? [{ id: route.id, route, fields }] : [];
  });

const { token } = seeded.admin;

// Values within the limits take effect.
beforeEach(() =>
  seeded.directory.adminOk('PUT', `/api/admin/projects/${project}`, { status: 'live', deleted_at: null }),
);

it.each(
  named(({ body }) =>
    body?.type === 'application/json' ? fieldsOf(body.schema, [], []).filter(({ path }) => path.length > 0) : [],
  ),
)('$id enforces the documented limits of its fields', async ({ route, fields }) => {
  const path = seeded.pathOf(route);
  await expectLimits(fields, (field, value) => server.call(route.method, path, { token, body: bodyOf(field, value) }));
});

it.each(
  named(({ method, parameters }) =>
    parameters.flatMap(({ name, in: place, schema }) =>
      method === 'GET' && place === 'query' && resolved(schema).type !== 'array'
        ? alternativesOf(schema).map((one) => ({ path: [name], schema: one, constants: [], isText: true }))
        : [],
    ),
  ),
)('$id enforces the documented limits of its query parameters', async ({ route, fields }) => {
  await expectLimits(fields, ({ path }, value) =>
    server.call('GET', `${seeded.pathOf(route)}?${path[0]}=${encodeURIComponent(String(value))}`, { token }),
  );
});
