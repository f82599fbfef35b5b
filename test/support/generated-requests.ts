import * as fc from 'fast-check';
import { importFields } from '#contract/projects.ts';
import { csv } from '#test/support/uploads.ts';
import { document } from './operations.ts';

/** Arbitrary requests from the schemas of the OpenAPI document: valid, nearly valid and hostile ones. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly 'x-auth': string;
}

/** An operation with what is needed to generate requests to it. */
export interface GeneratedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly parameters: readonly Parameter[];
  /** The media type and schema of the body. */
  readonly body: { readonly type: string; readonly schema: Schema } | undefined;
}

const resolved = <T extends { readonly $ref?: string }>(value: T): T => {
  if (value.$ref === undefined) return value;
  const found = value.$ref
    .split('/')
    .slice(1)
    .reduce((level, name) => (level as Record<string, unknown>)[name], document as unknown);
  return resolved(found as T);
};

/** Every operation of the document. */
export const generatedOperations: readonly GeneratedOperation[] = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item as unknown as Record<string, Operation>).map(([method, operation]) => {
      const [content] = Object.entries(operation.requestBody?.content ?? {});
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        auth: operation['x-auth'],
        parameters: (operation.parameters ?? []).map(resolved),
        body: content && { type: content[0], schema: content[1].schema },
      };
    }),
);

/** Existing values by the name of the parameter or field that takes them, such as ids of projects. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

const WORDS = ['a', 'B', 'ä', '東', '😀', ' ', '-', '.', "'", '"', '<', '=', '\n', '\u202e', '0'];

const textOf = ({ minLength = 0, maxLength = 60, pattern, format }: Schema): fc.Arbitrary<string> => {
  if (format === 'uri') {
    const paths = fc.webPath({ size: 'small' });
    return fc.tuple(fc.nat(50), paths).map(([host, path]) => `https://host${host}.example.com${path}`);
  }
  if (format === 'host')
    return fc.constantFrom('example.com', 'bücher.example', 'a.b.example', '*.x.example.', '*.xyz');
  if (format === 'date') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') {
    const [min, max] = [new Date('1990-01-01'), new Date('2100-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const most = Math.max(minLength, Math.min(maxLength, 60));
  const text = fc.string({ unit: fc.constantFrom(...WORDS), minLength, maxLength: most });
  // Lengths count after trimming and after the removal of overrides.
  return minLength === 0 ? text : text.map((value) => `x${value.slice(0, Math.max(0, most - 1))}`);
};

const objectOf = (schema: Schema, known: KnownValues): fc.Arbitrary<unknown> => {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, arbitraryOf(member, known, name)]),
  );
  const requiredKeys = required.filter((name) => name in members);
  const optionalKeys = Object.keys(members).filter((name) => !requiredKeys.includes(name));
  // A few optional members at a time: rules between members reject most objects with all of them.
  const few = fc.subarray(optionalKeys, { maxLength: Math.min(3, optionalKeys.length) }).chain((chosen) => {
    const keys = [...requiredKeys, ...chosen];
    return fc.record(Object.fromEntries(keys.map((name) => [name, members[name] ?? fc.constant(null)])));
  });
  const object = fc.oneof(
    { weight: 4, arbitrary: few },
    { weight: 1, arbitrary: fc.record(members, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(members) },
  );
  if (typeof additionalProperties !== 'object' || Object.keys(members).length > 0) return object;
  const names = propertyNames ? arbitraryOf(propertyNames, known, '').map(String) : fc.string({ maxLength: 10 });
  return fc.dictionary(names, arbitraryOf(additionalProperties, known, ''), { maxKeys: 5 });
};

const numberOf = (schema: Schema, isWhole: boolean): fc.Arbitrary<number> => {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? -1e6;
  const max = Math.min(schema.maximum ?? 1e6, Number.MAX_SAFE_INTEGER);
  return isWhole
    ? fc.integer({ min: Math.max(Math.ceil(min), Number.MIN_SAFE_INTEGER), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true });
};

/** A value that the schema allows, as far as the generator knows its keywords. */
export const arbitraryOf = (given: Schema, known: KnownValues, name: string): fc.Arbitrary<unknown> => {
  const schema = resolved(given);
  const values = known[name];
  if (values && values.length > 0 && schema.type !== 'array' && schema.type !== 'object') {
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...values) },
      { weight: 1, arbitrary: typed(schema, known, name) },
    );
  }
  return typed(schema, known, name);
};

const typed = (schema: Schema, known: KnownValues, name: string): fc.Arbitrary<unknown> => {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { type } = schema;
  if (type === 'object' || schema.properties) return objectOf(schema, known);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => arbitraryOf(one, known, name)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((one) => arbitraryOf(one, known, name)))
      .map((all) => Object.assign({}, ...all));
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => typed({ ...schema, type: one }, known, name)));
  switch (type) {
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 4 } = schema;
      return fc.array(arbitraryOf(items, known, name), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 4)),
      });
    }
    case 'string':
      return textOf(schema);
    case 'integer':
      return numberOf(schema, true);
    case 'number':
      return numberOf(schema, false);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
};

/** JSON values that break naive code. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    5e-324,
    1e300,
    -1e126,
    Number.MAX_SAFE_INTEGER + 2,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    '__proto__',
    'x'.repeat(3000),
    '☃'.repeat(700),
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-12:00',
    'javascript:alert(1)',
    'http://[::1',
    [],
    {},
    [[]],
    { $ne: null },
    { toString: 1 },
    JSON.parse('{"__proto__":{"is_admin":true}}'),
    Array.from({ length: 200 }, () => 'a'),
  ),
  fc.jsonValue(),
);

type Change = 'replace' | 'remove' | 'add';

/** The value with one change at a random place. */
const changed = (value: unknown, at: number, change: Change, replacement: unknown): unknown => {
  const copy: { root: unknown } = { root: structuredClone(value) };
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const visit = (holder: object): void => {
    for (const key of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, key });
      const member = (holder as Record<string, unknown>)[key];
      if (typeof member === 'object' && member !== null) visit(member);
    }
  };
  visit(copy);
  const place = places[at % places.length];
  if (!place) return replacement;
  const { holder, key } = place;
  const member = holder[key];
  if (change === 'add' && typeof member === 'object' && member !== null)
    Object.assign(member, { unknown_field: replacement });
  else if (change === 'remove' && key !== 'root') delete holder[key];
  else holder[key] = replacement;
  return copy.root;
};

/** Values with one change each, which may make them invalid. */
export const nearly = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(valid, fc.nat(1000), fc.constantFrom<Change>('replace', 'replace', 'remove', 'add'), hostile)
    .map(([value, at, change, replacement]) => changed(value, at, change, replacement));

const JSON_TYPE = 'application/json';

/** A body as it is sent. */
interface SentBody {
  readonly text: string | undefined;
  readonly type: string | undefined;
}

const rawBodies: fc.Arbitrary<SentBody> = fc.oneof(
  fc
    .constantFrom(
      '',
      '{',
      'null',
      '[]',
      '42',
      '"x"',
      '{} {}',
      '1e999',
      '\ufeff{}',
      '{"__proto__":1}',
      '{"name":"\\ud800"}',
    )
    .map((text) => ({ text, type: JSON_TYPE })),
  fc
    .constantFrom(
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json; charset=x',
      '',
    )
    .map((type) => ({ text: '{}', type })),
  fc.constant({ text: undefined, type: undefined }),
);

const jsonBody = (schema: Schema, known: KnownValues): fc.Arbitrary<SentBody> => {
  const valid = arbitraryOf(schema, known, '');
  const sent = (value: fc.Arbitrary<unknown>) => value.map((one) => ({ text: JSON.stringify(one), type: JSON_TYPE }));
  return fc.oneof(
    { weight: 5, arbitrary: sent(valid) },
    { weight: 4, arbitrary: sent(nearly(valid)) },
    { weight: 1, arbitrary: sent(hostile) },
    { weight: 1, arbitrary: rawBodies },
  );
};

const BOUNDARY = 'generated-boundary';

const multipartText = (parts: readonly (readonly [string, string])[]): string =>
  parts
    .map(([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .concat(`--${BOUNDARY}--\r\n`)
    .join('');

const cellText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(cellText).join('|');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
};

/** An import whose columns are fields, with valid and hostile cells. */
const importBody = (schema: Schema, known: KnownValues): fc.Arbitrary<SentBody> => {
  const mappingSchema = resolved(schema.properties?.mapping ?? {});
  const project = resolved<Schema>({ $ref: '#/components/schemas/Project' }).properties ?? {};
  const cellOf = (field: string) =>
    fc.oneof(
      { weight: 8, arbitrary: arbitraryOf(project[field] ?? {}, known, field) },
      { weight: 1, arbitrary: hostile },
      { weight: 2, arbitrary: fc.constant('') },
    );
  const needed = ['name', 'url', 'description'];
  const optional = importFields.filter((field) => !needed.includes(field));
  const file = fc.subarray(optional, { maxLength: 8 }).chain((chosen) => {
    const fields = [...needed, ...chosen];
    const cells = fields.map((field) => cellOf(field).map(cellText));
    const records = fc.array(fc.tuple(...cells), { minLength: 1, maxLength: 5 });
    return records.map((rows) => ({ fields, text: csv(fields, ...rows) }));
  });
  const options = nearlyOrValid(arbitraryOf(mappingSchema, known, ''));
  const flag = fc.constantFrom<string | undefined>(undefined, undefined, 'true', 'false', 'x');
  return fc.tuple(file, options, flag, fc.nat(9)).map(([{ fields, text }, mapping, dryRun, choice]) => {
    const columns = Object.fromEntries(fields.map((field) => [field, field]));
    const own = typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping) ? mapping : {};
    const sent = choice === 0 ? mapping : choice < 6 ? { ...own, columns, defaults: {} } : { ...own, columns };
    const parts: (readonly [string, string])[] = [
      ['file', text],
      ['mapping', JSON.stringify(sent)],
    ];
    if (dryRun !== undefined) parts.push(['dry_run', dryRun]);
    if (choice === 9) parts.splice(0, 1);
    return { text: multipartText(parts), type: `multipart/form-data; boundary=${BOUNDARY}` };
  });
};

const nearlyOrValid = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 2, arbitrary: valid }, { weight: 1, arbitrary: nearly(valid) });

/** Path segments that name nothing, as they are sent. */
const ODD_SEGMENTS = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '%ED%A0%80',
  '..',
  '%2F',
  '__proto__',
  'constructor',
  'prj_',
  'prj_00000000000000000000000000',
  'x'.repeat(300),
  '%F0%9F%8D%BA',
  '%20',
  '{project}',
];

const ODD_QUERY_VALUES = [
  '',
  '%20',
  '%00',
  '%ff',
  '%',
  '0',
  '-1',
  '1e2',
  '99999999999999999999',
  '__proto__',
  'x'.repeat(300),
  ',,',
  '%ED%A0%80',
  '[]',
];

const queryText = (value: unknown): string =>
  encodeURIComponent(String(Array.isArray(value) ? value.join(',') : value).toWellFormed());

/** A parameter as the document sends it: an object as `name[<key>]` for each of its members. */
const sentAs = (name: string, value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([key, member]) => `${name}[${queryText(key)}]=${queryText(member)}`)
    : [`${name}=${queryText(value)}`];

const pathOf = (operation: GeneratedOperation, known: KnownValues): fc.Arbitrary<string> => {
  const variables = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const segments = variables.map((name) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(known[name] ?? ['unknown'])).map(encodeURIComponent) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_SEGMENTS) },
    ),
  );
  return fc.tuple(...segments).map((chosen) => {
    let position = 0;
    return operation.path.replaceAll(/\{\w+\}/g, () => chosen[position++] ?? '');
  });
};

const queryOf = (operation: GeneratedOperation, known: KnownValues): fc.Arbitrary<string> => {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  const valid = parameters.map(({ name, schema }) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([] as string[]) },
      { weight: 1, arbitrary: arbitraryOf(schema, known, name).map((value) => sentAs(name, value)) },
    ),
  );
  // At most one is odd, so that the others are tested as well.
  const odd = fc.oneof(
    { weight: 2, arbitrary: fc.constant([] as string[]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('unknown', '__proto__', '%', ...parameters.map(({ name }) => name)),
          fc.constantFrom(...ODD_QUERY_VALUES),
        )
        .map(([name, value]) => [`${name}=${value}`]),
    },
  );
  return fc.tuple(odd, ...valid).map((all) => {
    const text = all.flat().join('&');
    return text === '' ? '' : `?${text}`;
  });
};

const headersOf = (operation: GeneratedOperation): fc.Arbitrary<Record<string, string>> => {
  const values = ['"1"', '*', '"x"', 'W/"1.abc"', '"1", "2"', '', '"', 'key-1', 'key-2', 'k'.repeat(300), '\u00e9'];
  const pairs = operation.parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constantFrom(...values).map((value) => ({ [name]: value })) },
      ),
    );
  const others = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'x-forwarded-for': '1.2.3.4, x' },
    { 'accept-encoding': 'gzip' },
    { dnt: '1', 'user-agent': '' },
  );
  return fc.tuple(others, ...pairs).map((all) => Object.assign({}, ...all) as Record<string, string>);
};

/** Who sends a request. */
export const senders = ['anonymous', 'invalid', 'user', 'owner', 'admin', 'cookie'] as const;
export type Sender = (typeof senders)[number];

/** A generated request. */
export interface GeneratedRequest {
  readonly sender: Sender;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Requests to an operation. @param known existing values that requests refer to. */
export const requestsTo = (operation: GeneratedOperation, known: KnownValues): fc.Arbitrary<GeneratedRequest> => {
  const { body } = operation;
  const none: fc.Arbitrary<SentBody> = fc.constant({ text: undefined, type: undefined });
  const bodies = body ? (body.type === JSON_TYPE ? jsonBody : importBody)(body.schema, known) : none;
  const sender = fc.constantFrom<Sender>(...senders, 'owner', 'owner', 'admin', 'admin', 'admin', 'admin');
  return fc
    .tuple(sender, pathOf(operation, known), queryOf(operation, known), headersOf(operation), bodies)
    .map(([from, path, query, headers, { text, type }]) => ({
      sender: from,
      method: operation.method,
      target: `${path}${query}`,
      headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
      body: text,
    }));
};
