import { Aws } from 'aws-cdk-lib';
import type { Route } from '#contract/route.ts';
import { BINARY_TYPES } from './binary-types.ts';
import { gatewayResponses } from './gateway-responses.ts';
import type { Transport } from './transport.ts';
import { fallback } from './unmatched-response.ts';

/** The integration target of a route. */
export interface Target {
  readonly functionArn: string;
  /** The ARN of the role that the gateway assumes. */
  readonly invokerArn: string;
}

export interface BodyOptions {
  readonly title: string;
  readonly routes: readonly Route[];
  readonly allowedOrigins: readonly string[];
  readonly keysRequired: boolean;
  readonly targetOf: (route: Route) => Target;
  readonly transport: Transport;
  /** The custom domain; it replaces the default address. */
  readonly domainName: string | undefined;
}

/** Responses below this size are not compressed, in bytes. */
export const COMPRESSION_MIN_BYTES = 1024;

/** The integration timeout of buffered responses, in milliseconds. */
const TIMEOUT_MS = 29_000;

/** The integration timeout of streamed responses, in milliseconds. */
const STREAM_TIMEOUT_MS = 900_000;

/** Whether the response of a route is streamed. */
export const isStreamed = (route: Route): boolean =>
  Object.values(route.responses).some((response) => 'stream' in response && response.stream);

const variablesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

const parametersOf = (path: string) =>
  variablesIn(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const invocationOf = (route: Route, functionArn: string): string =>
  isStreamed(route)
    ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
    : `2015-03-31/functions/${functionArn}/invocations`;

const integrationOf = (route: Route, { functionArn, invokerArn }: Target) => ({
  type: 'aws_proxy',
  httpMethod: 'POST',
  uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${invocationOf(route, functionArn)}`,
  credentials: invokerArn,
  ...(isStreamed(route)
    ? { responseTransferMode: 'STREAM', timeoutInMillis: STREAM_TIMEOUT_MS }
    : { timeoutInMillis: TIMEOUT_MS }),
});

/** `HEAD` invokes the function of `GET`, which omits the body. */
const methodsOf = ({ method }: Route): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

const operationOf = (route: Route, method: string, options: BodyOptions) => ({
  // Operation ids must be unique, so `HEAD` has none.
  ...(method === route.method && { operationId: route.id }),
  parameters: parametersOf(route.path),
  responses: { default: { description: 'Proxied.' } },
  ...(options.keysRequired && { security: [{ apiKey: [] }] }),
  'x-amazon-apigateway-integration': integrationOf(route, options.targetOf(route)),
});

/** A path and its parents: `/a/b` yields `/`, `/a` and `/a/b`. */
const withParents = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, position) => `/${parts.slice(0, position + 1).join('/')}`)];
};

const CATCH_ALL = '/{proxy+}';

/**
 * The settings of the RestApi resource, repeated. An import of the document replaces all settings of the gateway, and
 * CloudFormation updates only changed properties: settings missing here would be lost with the second deployment.
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
 * The gateway as an OpenAPI 3.0 document: the routes with their functions, a fallback for all other requests, and
 * gateway errors in the shape of the contract. It contains only what the gateway uses; `docs/openapi.json` documents
 * the contract.
 */
export const gatewayBody = (options: BodyOptions) => {
  const everyPath = [...new Set(options.routes.flatMap((route) => withParents(route.path)))];
  const methodsAt = (path: string): string[] =>
    options.routes.filter((route) => route.path === path).flatMap(methodsOf);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const path of [...everyPath, CATCH_ALL]) {
    const parameters =
      path === CATCH_ALL
        ? [{ name: 'proxy', in: 'path', required: true, schema: { type: 'string' } }]
        : parametersOf(path);
    paths[path] = {
      'x-amazon-apigateway-any-method': { parameters, ...fallback(options.allowedOrigins, methodsAt(path)) },
    };
  }
  for (const route of options.routes) {
    for (const method of methodsOf(route)) {
      Object.assign(paths[route.path] ?? {}, { [method.toLowerCase()]: operationOf(route, method, options) });
    }
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
