import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BINARY_TYPES } from '#lib/gateway/binary-types.ts';

/** A matched request. */
interface ProxyRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** The path as in the route table. */
  readonly resource: string;
  readonly body: Buffer;
}

/** Splits a request target into path and query, both still encoded. The target may be in absolute form (RFC 9112). */
export const splitAddress = (url: string): { path: string; query: string } => {
  const address = url.startsWith('/') ? url : (URL.parse(url)?.href.replace(/^[^/]*\/\/[^/?]*/, '') ?? url);
  const mark = address.indexOf('?');
  return mark < 0 ? { path: address, query: '' } : { path: address.slice(0, mark), query: address.slice(mark + 1) };
};

const decoded = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    // API Gateway forwards what it cannot decode; the handlers validate every value.
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
  // `fromEntries` defines own properties, so a name such as `__proto__` is an ordinary key.
  return values.size === 0 ? null : Object.fromEntries(values);
};

/** The lines of each header by its name as first sent: API Gateway keeps the case. */
const headerValues = (rawHeaders: readonly string[]): Record<string, string[]> => {
  const values = new Map<string, { readonly name: string; readonly lines: string[] }>();
  for (let position = 0; position + 1 < rawHeaders.length; position += 2) {
    const name = rawHeaders[position] as string;
    const value = rawHeaders[position + 1] as string;
    const known = values.get(name.toLowerCase());
    if (known) known.lines.push(value);
    else values.set(name.toLowerCase(), { name, lines: [value] });
  }
  return Object.fromEntries([...values.values()].map(({ name, lines }) => [name, lines]));
};

const last = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

/** The variables of a path, percent-encoded as the client sent them: API Gateway does not decode them. */
const variablesOf = (resource: string, path: string): Record<string, string> | null => {
  const segments = path.split('/');
  const variables = resource.split('/').flatMap((part, position) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, segments[position] ?? ''] as const];
  });
  return variables.length > 0 ? Object.fromEntries(variables) : null;
};

// `ignoreBOM` keeps a byte order mark as part of the body.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const textOf = (bytes: Buffer): string | undefined => {
  if (bytes.length === 0) return '';
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8: passed on as base64.
    return undefined;
  }
};

const isBinary = (contentType: string | undefined): boolean =>
  BINARY_TYPES.includes(contentType?.split(';')[0]?.trim().toLowerCase() ?? '');

const STAGE = 'local';

/** The time as in access logs: `22/Nov/2026:09:30:00 +0000`. */
const clfTime = (at: number): string => {
  const [, day, month, year, time] = new Date(at).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
};

/** The API Gateway (REST) proxy event for a request. */
export const proxyEvent = ({ request, requestId, resource, body }: ProxyRequest): APIGatewayProxyEvent => {
  const method = request.method ?? '';
  const { path, query } = splitAddress(request.url ?? '');
  const text = isBinary(request.headers['content-type']) ? undefined : textOf(body);
  const queries = queryValues(query);
  const headers = headerValues(request.rawHeaders);
  const at = Date.now();
  return {
    resource,
    path,
    httpMethod: method,
    headers: last(headers),
    multiValueHeaders: headers,
    queryStringParameters: queries && last(queries),
    multiValueQueryStringParameters: queries,
    pathParameters: variablesOf(resource, path),
    stageVariables: null,
    body: body.length === 0 ? null : (text ?? body.toString('base64')),
    isBase64Encoded: body.length > 0 && text === undefined,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'localhost',
      extendedRequestId: requestId,
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
      path: `/${STAGE}${path}`,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: clfTime(at),
      requestTimeEpoch: at,
      resourceId: resource,
      resourcePath: resource,
      stage: STAGE,
    },
  };
};
