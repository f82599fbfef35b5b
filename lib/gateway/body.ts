import type { Route } from '#contract/route.ts';
import { fallback } from './fallback.ts';
import { gatewayResponses } from './responses.ts';
import type { Transport } from './transport.ts';

/** What the gateway calls for a route. */
export interface Target {
  /** The address of the call, made from the function's. */
  readonly uri: string;
  /** The role that the gateway calls in. */
  readonly credentials: string;
}

export interface BodyOptions {
  readonly title: string;
  readonly routes: readonly Route[];
  readonly allowedOrigins: readonly string[];
  /** Whether callers must present an API key. */
  readonly keysRequired: boolean;
  readonly targetOf: (route: Route) => Target;
  readonly transport: Transport;
  /** The only name under which it is reached; its own address as well when undefined. */
  readonly domainName: string | undefined;
}

/** Answers below this size are not worth compressing, in bytes. */
export const COMPRESSION_MIN_BYTES = 1024;

/** Bodies that reach functions unchanged, in base64. */
export const BINARY_TYPES = ['multipart/form-data'];

/** The longest that the gateway waits for a whole answer, in milliseconds. */
const WAIT_MS = 29_000;

/** The longest that it lets an answer flow, in milliseconds. */
const FLOW_MS = 900_000;

/** Whether a route's answer is written piece by piece. */
export const isStreamed = (route: Route): boolean =>
  Object.values(route.replies).some((reply) => 'stream' in reply && reply.stream);

const variablesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

const parametersOf = (path: string) =>
  variablesIn(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const integrationOf = (route: Route, { uri, credentials }: Target) => ({
  type: 'aws_proxy',
  httpMethod: 'POST',
  uri,
  credentials,
  ...(isStreamed(route) ? { responseTransferMode: 'STREAM', timeoutInMillis: FLOW_MS } : { timeoutInMillis: WAIT_MS }),
});

const operationOf = (route: Route, options: BodyOptions) => ({
  operationId: route.id,
  parameters: parametersOf(route.path),
  responses: { default: { description: 'As the function answers.' } },
  ...(options.keysRequired && { security: [{ apiKey: [] }] }),
  'x-amazon-apigateway-integration': integrationOf(route, options.targetOf(route)),
});

/** A path and everything above it: `/a/b` is `/`, `/a` and `/a/b`. */
const withParents = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, position) => `/${parts.slice(0, position + 1).join('/')}`)];
};

const REST = '/{proxy+}';

/**
 * What the gateway's resource says, too. The document that is imported with every change takes the place of what the
 * gateway was set to, and CloudFormation sets only what has changed: what does not stand here would be gone with the
 * second deployment.
 */
const settingsOf = ({ transport, domainName }: BodyOptions) => ({
  'x-amazon-apigateway-binary-media-types': BINARY_TYPES,
  'x-amazon-apigateway-minimum-compression-size': COMPRESSION_MIN_BYTES,
  'x-amazon-apigateway-security-policy': transport.securityPolicy,
  'x-amazon-apigateway-endpoint-access-mode': transport.endpointAccessMode,
  ...(domainName !== undefined && {
    servers: [
      {
        url: `https://${domainName}`,
        'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true },
      },
    ],
  }),
});

/**
 * The gateway as one OpenAPI 3.0 document: the table's routes with their functions, an answer for everything else, and
 * the gateway's own failures in the contract's shape. It says only what the gateway acts on; the contract itself is in
 * `docs/openapi.json`.
 */
export const gatewayBody = (options: BodyOptions) => {
  const everyPath = [...new Set(options.routes.flatMap((route) => withParents(route.path)))];
  const otherwise = fallback(options.allowedOrigins);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const path of [...everyPath, REST]) {
    const parameters =
      path === REST ? [{ name: 'proxy', in: 'path', required: true, schema: { type: 'string' } }] : parametersOf(path);
    paths[path] = { 'x-amazon-apigateway-any-method': { parameters, ...otherwise } };
  }
  for (const route of options.routes) {
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: operationOf(route, options) });
  }
  return {
    openapi: '3.0.1',
    info: { title: options.title, version: '1' },
    paths,
    components: options.keysRequired
      ? { securitySchemes: { apiKey: { type: 'apiKey', name: 'x-api-key', in: 'header' } } }
      : {},
    'x-amazon-apigateway-api-key-source': 'HEADER',
    ...settingsOf(options),
    'x-amazon-apigateway-gateway-responses': gatewayResponses(options.allowedOrigins),
  };
};
