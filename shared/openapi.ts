import { ErrorBody } from '#contract/fields.ts';
import type { Feature, Route } from '#contract/route.ts';
import { domains, introduction } from '#shared/openapi/descriptions.ts';
import { operationOf } from '#shared/openapi/operation.ts';
import { Schemas, withNamedEnums } from '#shared/openapi/schemas.ts';
import { type OpenApiDocument, type Operation, visible } from '#shared/openapi/visible.ts';
import { eventWebhooks, webhookHeaders } from '#shared/openapi/webhooks.ts';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

const headers = {
  'X-Request-Id': text('The id of this request in the logs.', '7c1f9a52-2f7e-4a5e-9d0a-3f4b8a0d1c2e'),
  'RateLimit-Policy': text(
    "The tier's quota `q` per window of `w` seconds, after the request was counted.",
    '"general";q=600;w=60',
  ),
  RateLimit: text('The remaining requests `r` until the window ends in `t` seconds.', '"general";r=599;t=42'),
  'Retry-After': {
    description: 'Whole seconds until a retry can succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
  ETag: text(
    'A strong entity tag of this response. That of a single record is its version, a dot and the digest of the body; `If-Match` compares the version only.',
    '"3.Yx3sZ0bJk1Vd7uQ2m8pLr4tNc6w"',
  ),
};

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const parameters = {
  'If-Match': headerParameter('If-Match', 'The tag of the version to change; a stale tag is 412.'),
  'If-None-Match': headerParameter('If-None-Match', 'The tag of a cached response; 304 when it is still current.'),
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    '1 to 255 characters that are hard to guess, such as a UUID. Within 24 hours the same request with the same key returns the first response, which is stored encrypted under the key, unless it is too large; then it is made again. A form is the same whatever its boundary and the order of its parts.',
  ),
};

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "An access token of the service's issuer.",
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'directory_token',
    description:
      'The same token, for browsers on the same origin; a long one goes on in `directory_token_rest`. Writes require a same-origin `Origin` or `Sec-Fetch-Site`.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'dk_…',
    description: 'An API key with the named scope, created at `/api/admin/keys`.',
  },
  cronSecret: { type: 'http', scheme: 'bearer', description: 'The shared secret of scheduled jobs.' },
  stripeSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: "Stripe's signature of the raw body.",
  },
};

const notModified = {
  description: 'The tag in `If-None-Match` is current.',
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ETag: { $ref: '#/components/headers/ETag' },
  },
};

const tagsOf = (routes: readonly Route[]): OpenApiDocument['tags'] =>
  [...new Set(routes.map((route) => route.id.split('.')[0] ?? ''))].toSorted().map((name) => {
    const description = domains[name];
    if (!description) throw new Error(`Describe the domain "${name}" in shared/openapi/descriptions.ts.`);
    return { name, description };
  });

const inOrder = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));

interface OpenApiOptions {
  /** Routes of disabled features are left out. All routes are included when absent. */
  readonly features?: Readonly<Record<Feature, boolean>>;
  readonly version: string;
}

/** Generates the OpenAPI 3.1 document of the routes. The same routes always give the same text. */
export const openapi = (routes: readonly Route[], { features, version }: OpenApiOptions): OpenApiDocument => {
  const schemas = new Schemas();
  schemas.of(ErrorBody, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  const failures: Record<string, object> = {};
  const failureSchemas: Record<string, object> = {};
  for (const route of routes) {
    const generated = operationOf(route, schemas);
    const operation = generated.operation as unknown as Operation;
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
    Object.assign(failures, generated.failures);
    Object.assign(failureSchemas, generated.failureSchemas);
  }
  const hasWebhooks = routes.some(({ id }) => id.startsWith('webhooks.'));
  const webhooks = hasWebhooks ? eventWebhooks(schemas) : {};
  const document = schemas.complete({
    openapi: '3.1.1',
    info: {
      title: 'Directory listing service',
      version,
      summary: 'Submit, browse and moderate listings.',
      description: introduction,
      contact: { name: 'The maintainers of the directory listing service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths,
    ...(hasWebhooks && { webhooks }),
    components: {
      schemas: {},
      responses: { ...inOrder(failures), NotModified: notModified },
      parameters: { ...parameters, ...(hasWebhooks && webhookHeaders) },
      headers,
      securitySchemes,
    },
  });
  const { components } = document;
  const withFailures = { ...components, schemas: { ...components.schemas, ...failureSchemas } };
  return visible(withNamedEnums({ ...document, components: withFailures }), features);
};
