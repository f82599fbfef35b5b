import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';

/** What the router has found out about a request. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** As it was sent, still encoded. */
  readonly path: string;
  /** What stands after the first question mark, still encoded. */
  readonly query: string;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The path as the route table writes it. */
  readonly resource: string;
  readonly body: Buffer;
}

const decoded = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    // The gateway hands on what it cannot decode; the handlers check every value anyway.
    return spaced;
  }
};

const queryValues = (query: string): Record<string, string[]> | null => {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  // From entries: a name such as `__proto__` becomes a member like any other.
  return values.size === 0 ? null : Object.fromEntries(values);
};

const headerValues = (rawHeaders: readonly string[]): Record<string, string[]> => {
  const values = new Map<string, string[]>();
  for (let position = 0; position + 1 < rawHeaders.length; position += 2) {
    const name = (rawHeaders[position] as string).toLowerCase();
    const value = rawHeaders[position + 1] as string;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(values);
};

const last = (values: Record<string, string[]> | null): Record<string, string> | null =>
  values && Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

const textOf = (bytes: Buffer): string | undefined => {
  try {
    // The mark at the beginning of some files is a part of the body like any other character.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not text: it travels as base64.
    return undefined;
  }
};

/** The event that the REST gateway would start the function with. */
export const proxyEvent = (routed: RoutedRequest): APIGatewayProxyEvent => {
  const { request, requestId, path, params, resource, body } = routed;
  const method = request.method ?? '';
  const text = textOf(body);
  const queries = queryValues(routed.query);
  const at = Date.now();
  return {
    resource,
    path,
    httpMethod: method,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    ),
    multiValueHeaders: headerValues(request.rawHeaders),
    queryStringParameters: last(queries),
    multiValueQueryStringParameters: queries,
    pathParameters: Object.keys(params).length > 0 ? params : null,
    stageVariables: null,
    body: body.length === 0 ? null : (text ?? body.toString('base64')),
    isBase64Encoded: text === undefined,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        user: null,
        userAgent: request.headers['user-agent'] ?? null,
        userArn: null,
      },
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTimeEpoch: at,
      resourceId: resource,
      resourcePath: resource,
      stage: 'local',
    },
  };
};
