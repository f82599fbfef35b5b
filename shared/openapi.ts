import { ErrorBody } from '#contract/envelope.ts';
import type { Feature, Route } from '#contract/route.ts';
import { operationOf } from './openapi/operation.ts';
import { Schemas } from './openapi/schemas.ts';
import { type OpenApiDocument, type Operation, visible } from './openapi/visible.ts';
import { domains, introduction } from './openapi/words.ts';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

const headers = {
  'X-Request-Id': text('Names this request in the logs.', '7c1f9a52-2f7e-4a5e-9d0a-3f4b8a0d1c2e'),
  'RateLimit-Policy': text(
    "The tier's quota `q` per window of `w` seconds, once the request was counted.",
    '"general";q=600;w=60',
  ),
  RateLimit: text('How many requests remain, `r`, until the window ends in `t` seconds.', '"general";r=599;t=42'),
  'Retry-After': {
    description: 'Whole seconds until the next try can succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
  ETag: text('A strong tag of this answer.', '"Yx3sZ0bJk1Vd7uQ2m8pLr4tNc6w"'),
};

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const parameters = {
  'If-Match': headerParameter('If-Match', 'The tag of the version that the change is meant for; another one is 412.'),
  'If-None-Match': headerParameter(
    'If-None-Match',
    'The tag of the answer at hand; when it still holds the answer is 304.',
  ),
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    'Any text of your own. Within 24 hours the same key and body answer the first result again.',
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
      'The same token, for browsers on the same origin. Writing then needs a same-origin `Origin` or `Sec-Fetch-Site`.',
  },
  cronSecret: { type: 'http', scheme: 'bearer', description: 'The shared secret of scheduled jobs.' },
  stripeSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: 'Made by Stripe over the raw body.',
  },
};

const notModified = {
  description: 'The tag in `If-None-Match` still holds.',
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ETag: { $ref: '#/components/headers/ETag' },
  },
};

const tagsOf = (routes: readonly Route[]): OpenApiDocument['tags'] =>
  [...new Set(routes.map((route) => route.id.split('.')[0] ?? ''))].map((name) => {
    const description = domains[name];
    if (!description) throw new Error(`Say in shared/openapi/words.ts what the domain "${name}" is.`);
    return { name, description };
  });

const inOrder = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What the document is made with beside the routes. */
export interface OpenApiOptions {
  /** Switched-off features leave the document; all are in it when absent. */
  readonly features?: Readonly<Record<Feature, boolean>>;
  readonly version: string;
}

/** Describes the routes as an OpenAPI 3.1 document. The same routes always make the same text. */
export const openapi = (routes: readonly Route[], { features, version }: OpenApiOptions): OpenApiDocument => {
  const schemas = new Schemas();
  schemas.of(ErrorBody, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  const failures: Record<string, object> = {};
  for (const route of routes) {
    const made = operationOf(route, schemas);
    const operation = made.operation as unknown as Operation;
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
    Object.assign(failures, made.failures);
  }
  const document = schemas.complete({
    openapi: '3.1.1',
    info: {
      title: 'Directory listing service',
      version,
      summary: 'Submit, browse and moderate listings.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths,
    components: {
      schemas: {},
      responses: { ...inOrder(failures), NotModified: notModified },
      parameters,
      headers,
      securitySchemes,
    },
  });
  return visible(document, features);
};
