import { describe, expect, it } from 'vitest';
import { named, synthesize } from './synthesized.ts';

/** Limits of the import of OpenAPI documents into API Gateway, which rejects or ignores parts of valid documents. */

interface MethodResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}
interface IntegrationResponse {
  readonly statusCode: string;
  readonly responseParameters?: Readonly<Record<string, string>>;
}
interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, MethodResponse>>;
  readonly security?: readonly Readonly<Record<string, readonly unknown[]>>[];
  readonly 'x-amazon-apigateway-integration': {
    readonly type: string;
    readonly responses?: Readonly<Record<string, IntegrationResponse>>;
    readonly requestTemplates?: Readonly<Record<string, string>>;
  };
}
interface GatewayResponse {
  readonly statusCode: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: Readonly<Record<string, string>>;
}
interface Body {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes?: Readonly<Record<string, { readonly type: string }>> };
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<Record<string, GatewayResponse>>;
}

/** The default quota of resources (paths with their parents) per API. */
const RESOURCES_MAX = 300;

/** The maximum size of a mapping template, in bytes. */
const TEMPLATE_BYTES_MAX = 300 * 1024;

/** The members that an import uses or silently ignores; others cause warnings or failures. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  document: [
    ...['openapi', 'info', 'paths', 'components', 'x-amazon-apigateway-api-key-source'],
    ...['x-amazon-apigateway-gateway-responses', 'x-amazon-apigateway-policy', 'servers'],
    ...['x-amazon-apigateway-binary-media-types', 'x-amazon-apigateway-minimum-compression-size'],
    ...['x-amazon-apigateway-security-policy', 'x-amazon-apigateway-endpoint-access-mode'],
  ],
  operation: ['operationId', 'parameters', 'responses', 'security', 'x-amazon-apigateway-integration'],
  parameter: ['name', 'in', 'required', 'schema'],
  schema: ['type'],
  response: ['description', 'headers'],
  integration: [
    ...['type', 'httpMethod', 'uri', 'credentials', 'passthroughBehavior', 'contentHandling', 'timeoutInMillis'],
    ...['requestTemplates', 'responses', 'responseTransferMode'],
  ],
};

/** Every object under a member of this name, at any depth. */
function* under(node: unknown, name: string): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === name && typeof value === 'object' && value !== null) yield value as object;
    yield* under(value, name);
  }
}

const keysOf = (objects: Iterable<object>): string[] => [...new Set([...objects].flatMap((one) => Object.keys(one)))];

describe.each(['dev', 'staging', 'prod'])('the documents of %s', (stage) => {
  const { api } = synthesize(stage);

  describe.each(['Gateway', 'KeyedGateway'])('%s', (gateway) => {
    const body = named(api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties.Body as Body;
    const paths = Object.keys(body.paths);
    const operations = Object.values(body.paths).flatMap((item) => Object.values(item));

    it('contain supported members only', () => {
      const found: Record<string, readonly string[]> = {
        document: Object.keys(body),
        operation: keysOf(operations),
        parameter: keysOf(operations.flatMap(({ parameters }) => parameters ?? [])),
        schema: keysOf(under(body.paths, 'schema')),
        response: keysOf(operations.flatMap(({ responses }) => Object.values(responses))),
        integration: keysOf(operations.map((one) => one['x-amazon-apigateway-integration'])),
      };
      for (const [kind, keys] of Object.entries(found)) {
        expect(
          keys.filter((key) => !MEMBERS[kind]?.includes(key)),
          kind,
        ).toEqual([]);
      }
      expect(JSON.stringify(body)).not.toMatch(/"(?:\$ref|example|examples|discriminator|oneOf|anyOf|nullable)":/);
      // Proxy integrations ignore method responses; for others, `default` would be ignored.
      const mapped = operations.filter((one) => one['x-amazon-apigateway-integration'].type !== 'aws_proxy');
      expect(mapped.flatMap(({ responses }) => Object.keys(responses))).not.toContain('default');
    });

    it('have supported paths within the quota', () => {
      expect(paths.length).toBeLessThanOrEqual(RESOURCES_MAX);
      for (const path of paths) {
        expect(path, 'a variable is a whole segment, and a greedy one is the last').toMatch(
          /^\/(?:(?:[\w.:-]+|\{\w+\})(?:\/(?:[\w.:-]+|\{\w+\}))*)?(?:(?<=\/)\{\w+\+\})?$/,
        );
        expect(['/ping', '/sping']).not.toContain(path);
      }
    });

    it('set declared headers only, to a quoted text or a context value', () => {
      for (const { responses, ...operation } of operations) {
        const { responses: integrationResponses = {} } = operation['x-amazon-apigateway-integration'];
        for (const { statusCode, responseParameters = {} } of Object.values(integrationResponses)) {
          expect(Object.keys(responses)).toContain(statusCode);
          for (const [name, value] of Object.entries(responseParameters)) {
            const header = /^method\.response\.header\.([\w-]+)$/.exec(name)?.[1] ?? name;
            expect(Object.keys(responses[statusCode]?.headers ?? {})).toContain(header);
            expect(value).toMatch(/^(?:'[^']*'|context\.\w+(?:\.\w+)*)$/);
          }
        }
      }
    });

    it('have gateway responses without directives, with templates within the limit', () => {
      const own = body['x-amazon-apigateway-gateway-responses'];
      for (const { statusCode, responseParameters, responseTemplates } of Object.values(own)) {
        expect(statusCode).toMatch(/^[45]\d\d$/);
        for (const [name, value] of Object.entries(responseParameters)) {
          expect(name).toMatch(/^gatewayresponse\.header\.[\w-]+$/);
          expect(value).toMatch(/^(?:'[^']*'|context\.\w+(?:\.\w+)*|method\.request\.header\.[\w-]+)$/);
        }
        // Templates of gateway responses support context and stage variables, but no directives.
        for (const template of Object.values(responseTemplates))
          expect(template).not.toMatch(/#(?:set|if|foreach)\b|\$input/);
      }
      for (const template of under(body, 'responseTemplates')) {
        for (const text of Object.values(template))
          expect(Buffer.byteLength(String(text))).toBeLessThan(TEMPLATE_BYTES_MAX);
      }
    });

    it('require keys through a declared security scheme', () => {
      const schemes = body.components.securitySchemes ?? {};
      for (const { security = [] } of operations) {
        for (const requirement of security) {
          for (const [scheme, scopes] of Object.entries(requirement)) {
            expect(schemes[scheme]?.type).toBe('apiKey');
            expect(scopes).toEqual([]);
          }
        }
      }
    });
  });
});
