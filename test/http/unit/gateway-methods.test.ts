import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { gatewayBody } from '#lib/gateway/body.ts';

/** The methods of the deployed gateway, from the document that it is imported from. */

const body = gatewayBody({
  title: 'test',
  routes,
  allowedOrigins: [],
  keysRequired: false,
  targetOf: ({ id }) => ({ functionArn: `function of ${id}`, invokerArn: 'role' }),
  transport: { securityPolicy: 'policy', endpointAccessMode: 'mode', endpointType: 'type' } as never,
  domainName: undefined,
});

interface Method {
  readonly operationId?: string;
  readonly 'x-amazon-apigateway-integration': {
    readonly uri?: string;
    readonly requestTemplates: Record<string, string>;
    readonly responses: { default: { statusCode: string; responseTemplates: Record<string, string> } };
  };
}

const methodAt = (path: string, method: string): Method | undefined => body.paths[path]?.[method] as Method | undefined;

it('HEAD invokes the function of GET on every GET route', () => {
  for (const { id, method, path } of routes) {
    const head = methodAt(path, 'head');
    if (method !== 'GET') continue;
    expect([id, head?.['x-amazon-apigateway-integration'].uri]).toEqual([
      id,
      expect.stringContaining(`function of ${id}`),
    ]);
  }
  expect(methodAt('/api/payments/checkout', 'head')).toBeUndefined();
  const ids = Object.values(body.paths).flatMap((item) =>
    Object.values(item).flatMap((one) => (one as Method).operationId ?? []),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

it('a known path answers other methods with 405 and its methods, an unknown one with 404', () => {
  const known = methodAt('/api/projects', 'x-amazon-apigateway-any-method')?.['x-amazon-apigateway-integration'];
  const types = [
    ...['application/json', 'application/json-patch+json', 'application/merge-patch+json', 'application/octet-stream'],
    ...['application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data', 'text/csv', 'text/plain'],
  ];
  for (const type of types) expect([type, known?.requestTemplates[type]]).toEqual([type, '{"statusCode":405}']);
  const template = known?.responses.default.responseTemplates['application/json'] ?? '';
  expect(template).toContain('#set($context.responseOverride.header.allow = "GET, HEAD, POST, OPTIONS")');
  expect(template).toContain('{"error":"Method not allowed","code":"METHOD_NOT_ALLOWED"}');
  for (const path of ['/{proxy+}', '/api']) {
    const unknown = methodAt(path, 'x-amazon-apigateway-any-method')?.['x-amazon-apigateway-integration'];
    expect(unknown?.responses.default.statusCode).toBe('404');
    for (const type of [...types, 'text/html', 'image/png'])
      expect([type, unknown?.requestTemplates[type]]).toEqual([type, '{"statusCode":404}']);
    expect(unknown?.responses.default.responseTemplates['application/json']).toContain('NOT_FOUND');
  }
});

it('a body in an encoding that the gateway cannot inflate is 415, and one of a rare media type', () => {
  const response = body['x-amazon-apigateway-gateway-responses'].UNSUPPORTED_MEDIA_TYPE;
  expect(response?.statusCode).toBe('415');
  expect(JSON.parse(response?.responseTemplates['application/json'] ?? '')).toEqual({
    error: 'Unsupported media type',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as JSON, as it is or with Content-Encoding: gzip.',
  });
});
