import type * as z from 'zod';
import { NoPage } from '#contract/fields.ts';
import { ImportMapping } from '#contract/projects.ts';
import type { ResponseSchema, Route } from '#contract/route.ts';
import { pathVariables } from './descriptions.ts';
import { commonHeaders, failureResponses } from './failures.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

const takesNothing = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

const isVague = (schema: JsonSchema): boolean =>
  !['type', 'enum', 'const', 'anyOf', 'oneOf', '$ref'].some((keyword) => keyword in schema);

/** The schema of a parameter: that of the parsed value where JSON Schema can express it, else that of its text. */
const parameterSchema = (schema: z.ZodType, schemas: Schemas): JsonSchema => {
  const checked = schemas.of(schema, 'output');
  const value = isVague(checked) ? schemas.of(schema, 'input') : checked;
  const { prefixItems, items, ...list } = value;
  return Array.isArray(prefixItems) && items === false ? { ...list, items: prefixItems[0] } : value;
};

const queryParameters = (route: Route, schemas: Schemas): object[] =>
  Object.entries((route.query?.shape ?? {}) as Record<string, z.ZodType>).flatMap(([name, schema]) => {
    if (schema === (NoPage as z.ZodType)) return [];
    const { description, ...value } = parameterSchema(schema, schemas);
    const feature = route.optionalQuery?.find(({ parameters }) => parameters.includes(name))?.feature;
    return [
      {
        name,
        in: 'query',
        ...(description !== undefined && { description }),
        ...(feature !== undefined && { 'x-feature': feature }),
        ...(!takesNothing(schema) && { required: true }),
        // Lists are sent as one value with commas.
        ...(value.type === 'array' && { style: 'form', explode: false }),
        // The members of objects are sent as `name[<member>]`.
        ...(value.type === 'object' && { style: 'deepObject', explode: true }),
        schema: value,
      },
    ];
  });

const pathParameters = (route: Route): object[] =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const description = pathVariables[name];
    if (!description)
      throw new Error(`${route.id}: say in shared/openapi/descriptions.ts what the path variable "${name}" is.`);
    return { name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1, maxLength: 200 } };
  });

const isStream = (response: ResponseSchema): boolean => 'stream' in response && response.stream;

/** Whether responses can be cached: streams and jobs cannot. */
const isCacheable = (route: Route): boolean =>
  route.method === 'GET' && route.auth !== 'cron' && !Object.values(route.responses).some(isStream);

const headerParameters = (route: Route): object[] => {
  const names = [
    ...(route.ifMatch ? ['If-Match'] : []),
    ...(isCacheable(route) ? ['If-None-Match'] : []),
    ...(route.idempotent ? ['Idempotency-Key'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
};

const multipartBodies: Readonly<Record<string, (schemas: Schemas) => object>> = {
  'projects.importCsv': (schemas) => ({
    schema: {
      type: 'object',
      properties: {
        file: { description: 'The CSV file.', type: 'string', contentMediaType: 'text/csv', minLength: 1 },
        mapping: {
          anyOf: [
            schemas.of(ImportMapping, 'input'),
            {
              ...schemas.of(ImportMapping.shape.columns, 'input'),
              description: 'The short form: CSV column to field.',
            },
          ],
        },
        dry_run: { description: 'Report what would happen and write nothing.', type: 'boolean' },
      },
      required: ['file', 'mapping'],
      additionalProperties: false,
    },
    encoding: { file: { contentType: 'text/csv' }, mapping: { contentType: 'application/json' } },
  }),
};

const requestBody = (route: Route, schemas: Schemas): object => {
  if (route.bodyKind === 'multipart') {
    const body = multipartBodies[route.id];
    if (!body) throw new Error(`${route.id}: describe the parts of its multipart body in shared/openapi/operation.ts.`);
    return { requestBody: { required: true, content: { 'multipart/form-data': body(schemas) } } };
  }
  if (!route.body) return {};
  const content = { 'application/json': { schema: schemas.of(route.body, 'input') } };
  return { requestBody: { ...(!takesNothing(route.body) && { required: true }), content } };
};

const STATUS_DESCRIPTIONS: Readonly<Record<string, string>> = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' };

const documentedResponse = (status: string, response: ResponseSchema, schemas: Schemas): object => {
  const tag = isStream(response) ? {} : { ETag: { $ref: '#/components/headers/ETag' } };
  const headers = { ...commonHeaders, ...tag };
  if ('stream' in response) {
    const declared = response.stream ? response.schema : undefined;
    const schemaFor = (type: string): object => {
      if (declared) return schemas.of(declared, 'output');
      return /json(?:;|$)/.test(type) ? { type: 'object' } : { type: 'string' };
    };
    const others = response.stream ? [] : (response.otherTypes ?? []);
    const content = Object.fromEntries(
      [response.contentType, ...others].map((name) => [name, { schema: schemaFor(name) }]),
    );
    return { description: response.description, headers, content };
  }
  return {
    description: STATUS_DESCRIPTIONS[status] ?? 'Success.',
    headers,
    content: { 'application/json': { schema: schemas.of(response, 'output') } },
  };
};

const notModified = (route: Route): object =>
  isCacheable(route) ? { 304: { $ref: '#/components/responses/NotModified' } } : {};

const SIGNED_IN = [{ bearer: [] }, { cookie: [] }];

/** One requirement per scope: each of them alone covers the route. */
const withKey = ({ scopes = [] }: Route): readonly object[] => scopes.map((scope) => ({ apiKey: [scope] }));

const security: Readonly<Record<Route['auth'], readonly object[]>> = {
  public: [],
  optional: [{}, ...SIGNED_IN],
  user: SIGNED_IN,
  admin: SIGNED_IN,
  cron: [{ cronSecret: [] }],
  signature: [{ stripeSignature: [] }],
};

export const operationOf = (route: Route, schemas: Schemas) => {
  const failures = failureResponses(route);
  const responses = Object.entries(route.responses).map(([status, response]) => [
    status,
    documentedResponse(status, response, schemas),
  ]);
  const parameters = [...pathParameters(route), ...queryParameters(route, schemas), ...headerParameters(route)];
  const operation = {
    operationId: route.id,
    tags: [route.id.split('.')[0]],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route, schemas),
    responses: { ...Object.fromEntries(responses), ...notModified(route), ...failures.responses },
    security: [...security[route.auth], ...withKey(route)],
    'x-auth': route.auth,
    'x-rate-tier': route.tier,
    ...(route.moderators && { 'x-moderators': true }),
    ...(route.feature && { 'x-feature': route.feature }),
  };
  return { operation, failures: failures.components, failureSchemas: failures.schemas };
};
