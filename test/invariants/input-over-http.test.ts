import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { dataOf, invalidAt, person, submission, unique } from '#test/support/fixtures.ts';
import { cancelWaiting, uploadFile } from '#test/support/imports.ts';
import { sampleOf } from '#test/support/sample.ts';
import { seed } from '#test/support/seed.ts';
import { csv, sendImport } from '#test/support/uploads.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Rules about the input of every route. */

const server = await ownServer({ env: { FEATURE_AI: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' } });
const seeded = await seed(server);

const named = (applies: (route: Route) => boolean) =>
  routes.filter(applies).map((route, position) => ({ id: route.id, route, position }));

const queryOf = (route: Route): [name: string, schema: z.ZodType][] => Object.entries(route.query?.shape ?? {});

const takesNothing = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

/** An erasure needs a user of its own. */
const tokenFor = async ({ id }: Route): Promise<string> =>
  id === 'users.erase' ? (await person(server)).token : seeded.admin.token;

/** The id of a user who has made a request. */
const newUser = async (): Promise<string> => {
  const { id, token } = await person(server);
  await server.call('GET', '/api/user/profile', { token });
  return id;
};

const newImport = async (): Promise<string> => {
  await cancelWaiting(seeded.directory);
  return await uploadFile(seeded.directory, Buffer.from('name,url,description\nx,,\n'));
};

const newField = async (): Promise<string> => {
  const body = { key: unique('field').replaceAll('-', '_'), type: 'text', label: 'A test' };
  return dataOf<{ id: string }>(await seeded.directory.adminOk('POST', '/api/admin/fields', body, 201)).id;
};

const send = async (route: Route, query: string) => {
  if (route.id === 'projects.importCsv') {
    return await sendImport(server, seeded.admin.token, csv(['name']), { name: 'name' }, { query: `?${query}` });
  }
  const bodies: Readonly<Record<string, () => unknown>> = {
    'projects.bulk': () => ({ action: 'approve', ids: ['prj_none'] }),
    'categories.merge': () => ({ into: seeded.directory.category }),
    'fields.update': () => ({}),
    'imports.start': () => ({ mapping: { name: 'name', url: 'url', description: 'description' } }),
  };
  const body = bodies[route.id]?.();
  // What is removed must not be needed by other tests.
  const others = {
    ...(['categories.remove', 'categories.merge'].includes(route.id) && {
      category: (await seeded.directory.addCategory()).id,
    }),
    ...(route.id === 'fields.remove' && { field: await newField() }),
    ...(['imports.preview', 'imports.start'].includes(route.id) && { import: await newImport() }),
    ...(route.id === 'users.remove' && { user: await newUser() }),
  };
  return await server.call(route.method, `${seeded.pathOf(route, others)}?${query}`, {
    token: await tokenFor(route),
    ...(body !== undefined && { body }),
  });
};

it.each(named((route) => queryOf(route).length > 0))(
  '$id treats blank optional query parameters as absent',
  async ({ route, position }) => {
    const required = route.id === 'users.votes' ? '&ids=some-project' : '';
    const optional = queryOf(route).flatMap(([name, schema]) => (takesNothing(schema) ? [name] : []));
    const queries = [
      ...optional.flatMap((name) => [`${name}=`, `${name}=%20%09`, name, `${name}=&${name}=`]),
      optional.map((name) => `${name}=`).join('&'),
    ];
    for (const query of sampleOf(queries, position)) {
      const { status } = await send(route, `${query}${required}`);
      expect([query, status]).toEqual([query, 'imports.start' === route.id ? 202 : 200]);
    }
  },
);

it.each(named((route) => queryOf(route).some(([name]) => name === 'after')))(
  '$id is a ledger, which continues with `after` and has no `page`',
  async ({ route }) => {
    const { status, body } = await send(route, 'limit=1');
    expect(status).toBe(200);
    const { meta } = body as { meta: { pageSize: number; hasMore: boolean; nextAfter: string | null } };
    expect(Object.keys(meta).toSorted()).toEqual(['hasMore', 'nextAfter', 'pageSize']);
    expect(meta.hasMore).toBe(meta.nextAfter !== null);
    for (const page of ['1', '2', 'x']) expect(await send(route, `page=${page}`)).toMatchObject(invalidAt('page'));
  },
);

it('every list of the ledgers is one', () => {
  const ledgers = named((route) => queryOf(route).some(([name]) => name === 'after')).map(({ id }) => id);
  expect(ledgers).toEqual(expect.arrayContaining(['events.list', 'webhooks.listDeliveries', 'audit.list']));
});

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON Schema of a body, with its references resolved. */
const schemaOf = (body: z.ZodType): Json => {
  const { $defs = {}, ...whole } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Json;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (!isJson(value)) return value;
    const { $ref, ...rest } = value;
    const target = typeof $ref === 'string' ? ($defs as Json)[$ref.replace('#/$defs/', '')] : {};
    return Object.fromEntries(
      Object.entries({ ...(target as Json), ...rest }).map(([key, one]) => [key, resolve(one)]),
    );
  };
  return resolve(whole) as Json;
};

/** The alternatives of a schema that are objects; otherwise the main one, which is the last that is not null. */
const alternativesOf = (schema: Json): Json[] => {
  const nested = [schema.oneOf ?? schema.anyOf].flat().filter(isJson);
  const typed = nested.filter((one) => 'type' in one || 'anyOf' in one || 'oneOf' in one || 'enum' in one);
  if (typed.length === 0) return [schema];
  const objects = typed.filter(({ type }) => type === 'object');
  const main = typed.filter(({ type, const: only }) => type !== 'null' && only !== '').at(-1);
  return (objects.length > 0 ? objects : main ? [main] : []).flatMap(alternativesOf);
};

/** A field of a body: its path, and the schema of its value. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly schema: Json;
}

/** A form of a body: the fields that vary, and the constants that select the form. */
interface Form {
  readonly leaves: readonly Leaf[];
  readonly constants: readonly Leaf[];
}

const formsOf = (schema: Json, path: Leaf['path'] = []): Form[] =>
  alternativesOf(schema).map((one): Form => {
    if (one.type === 'array' && isJson(one.items)) return mainFormOf(one.items, [...path, 0]);
    if (one.type !== 'object')
      return 'const' in one ? { leaves: [], constants: [{ path, schema: one }] } : leaf(one, path);
    const members = {
      ...(one.properties as Json),
      ...(isJson(one.additionalProperties) && { constructor: one.additionalProperties }),
    };
    const forms = Object.entries(members).map(([name, member]) => mainFormOf(member, [...path, name]));
    return { leaves: forms.flatMap(({ leaves }) => leaves), constants: forms.flatMap(({ constants }) => constants) };
  });

const leaf = (schema: Json, path: Leaf['path']): Form => ({ leaves: [{ path, schema }], constants: [] });

const mainFormOf = (schema: Json, path: Leaf['path']): Form => formsOf(schema, path)[0] ?? leaf(schema, path);

/** A body with a value for each field. */
const bodyWith = (fields: readonly Leaf[], valueFor: (one: Leaf) => unknown): unknown => {
  const root: Record<string | number, unknown> = {};
  for (const one of fields) {
    let level: Record<string | number, unknown> = root;
    for (const [position, step] of ['body', ...one.path].entries()) {
      const next = one.path[position];
      if (next === undefined) level[step] = valueFor(one);
      else if (!Object.hasOwn(level, step)) level[step] = typeof next === 'number' ? [] : {};
      level = level[step] as typeof level;
    }
  }
  return root.body ?? {};
};

// JSON-RPC has errors of its own for its messages.
const jsonRoutes = named(
  ({ body, bodyKind, jsonRpc }) => body !== undefined && bodyKind !== 'multipart' && jsonRpc !== true,
);
const formsOfRoute = ({ body }: Route): Form[] => (body ? formsOf(schemaOf(body)) : []);

/** Every message with its path. */
const messagesIn = (details: unknown, path: readonly string[] = []): [path: string, messages: unknown][] =>
  Object.entries((details ?? {}) as Json).flatMap(([name, value]): [string, unknown][] =>
    name === '_errors' && Array.isArray(value) ? [[path.join('.'), value]] : messagesIn(value, [...path, name]),
  );

const isForPeople = (messages: unknown): boolean =>
  Array.isArray(messages) &&
  messages.length <= 1 &&
  messages.every(
    (message) =>
      typeof message === 'string' &&
      /^(?:is required$|must |is not |"[^"]*" is not |"[^"]*", .* are not )/.test(message) &&
      !/expected|received|invalid|zod|NaN|undefined|\[object|regex|\/\^/i.test(message),
  );

/** What is wrong with a response to invalid input. */
const complaintsOf = (what: string, { status, body }: { status: number; body: unknown }): unknown[] => {
  if (status >= 500 && status !== 503) return [[what, status, body]];
  if (status !== 400) return [];
  const { details } = body as { details?: unknown };
  const all = messagesIn(details);
  const unclear = all.filter(([, messages]) => !isForPeople(messages));
  return all.every(([, messages]) => (messages as unknown[]).length === 0)
    ? [[what, body]]
    : unclear.map((one) => [what, ...one]);
};

const probes: readonly unknown[] = [
  undefined,
  null,
  '',
  'nonsense',
  'Not/A,Slug',
  '2026-13-45T99:00:00Z',
  '\ud800',
  'x'.repeat(10_001),
  0,
  1.5,
  1e300,
  5e-324,
  true,
  [],
  {},
  [null],
  Array.from({ length: 101 }, (_, position) => `x${position}`),
  { constructor: 1, toString: 'x', _errors: 1 },
];

const post = async (route: Route, body: unknown) =>
  await server.call(route.method, seeded.pathOf(route), {
    token: seeded.admin.token,
    rawBody: JSON.stringify(body) ?? '',
    headers: { 'content-type': 'application/json' },
  });

it.each(jsonRoutes)(
  '$id explains invalid fields of a body to people, each with one message',
  async ({ route, position }) => {
    const complaints: unknown[] = [];
    for (const probe of sampleOf(probes, position)) {
      const whole = JSON.stringify(probe)?.slice(0, 40);
      complaints.push(...complaintsOf(`the body ${whole}`, await post(route, probe)));
      for (const { leaves, constants } of formsOfRoute(route)) {
        const all = [...leaves, ...constants];
        const deep = bodyWith(all, (one) => (constants.includes(one) ? one.schema.const : probe));
        complaints.push(...complaintsOf(`all ${whole}`, await post(route, deep)));
        const names = new Set(all.map(({ path }) => path[0]));
        const flat = Object.fromEntries([...names].map((name) => [name, probe]));
        complaints.push(...complaintsOf(`each ${whole}`, await post(route, flat)));
      }
    }
    expect(complaints).toEqual([]);
  },
);

// A page explains them on the page.
it.each(named((route) => queryOf(route).length > 0 && !route.errorPages))(
  '$id explains invalid query parameters to people, each with one message',
  async ({ route, position }) => {
    const names = queryOf(route).map(([name]) => name);
    const complaints: unknown[] = [];
    const values = ['nonsense', '-1', '0', '1.5', '1e300', '9'.repeat(15), '%ED%A0%80', '1,2', 'a,b,c,d', '1,91,2,0'];
    for (const value of sampleOf(values, position)) {
      for (const query of [
        ...names.map((name) => `${name}=${value}`),
        names.map((name) => `${name}=${value}`).join('&'),
      ])
        complaints.push(...complaintsOf(query.slice(0, 60), await send(route, query)));
    }
    for (const name of sampleOf(names, position))
      complaints.push(...complaintsOf(`a long ${name}`, await send(route, `${name}=${'x'.repeat(2500)}`)));
    const twice = names.flatMap((name) => [`${name}=1`, `${name}=2`]).join('&');
    complaints.push(...complaintsOf(twice, await send(route, twice)));
    expect(complaints).toEqual([]);
  },
);

const isNumber = ({ schema: { type } }: Leaf): boolean =>
  [type].flat().some((one) => one === 'number' || one === 'integer');

it.each(named((route) => formsOfRoute(route).some(({ leaves }) => leaves.some(isNumber))))(
  '$id rejects numbers that the table cannot store',
  async ({ route }) => {
    for (const { leaves, constants } of formsOfRoute(route)) {
      const numbers = leaves.filter(isNumber);
      for (const value of [5e-324, -1e-131, 1e126, -1e300, Number.MAX_VALUE]) {
        const fields = [...numbers, ...constants];
        const body = bodyWith(fields, (one) => (constants.includes(one) ? one.schema.const : value));
        const response = await post(route, body);
        for (const { path } of numbers) expect(response).toMatchObject(invalidAt(...path));
      }
    }
  },
);

const isList = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes('array') || [anyOf].flat().some((one) => isJson(one) && isList(one));

const optionalListsOf = (route: Route): string[] => {
  const { properties = {}, required = [] } = route.body ? schemaOf(route.body) : {};
  return Object.entries(properties as Json).flatMap(([name, schema]) =>
    isList(schema as Json) && !(required as string[]).includes(name) ? [name] : [],
  );
};

/** The required fields of bodies. */
const required: Readonly<Record<string, () => Json>> = {
  'projects.submit': () => submission({ categories: [seeded.directory.category] }),
  'ai.generate': () => ({ name: 'A name' }),
  'analytics.track': () => ({ type: 'pageview', path: '/' }),
};

it.each(named((route) => optionalListsOf(route).length > 0))(
  '$id takes null for an optional list as an empty one',
  async ({ route }) => {
    for (const name of optionalListsOf(route)) {
      const base = required[route.id]?.() ?? {};
      const [empty, absent] = [
        await post(route, { ...base, [name]: [] }),
        await post(route, { ...base, [name]: null }),
      ];
      expect([name, absent.status]).toEqual([name, empty.status]);
      if (absent.status !== 200) continue;
      expect((absent.body as { data: Json }).data[name]).toEqual((empty.body as { data: Json }).data[name]);
    }
  },
);
