import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type Permission, permissionsOf, permits } from '#test/infra/permissions.ts';
import { type AwsCall, callsOf, recordCalls } from '#test/support/aws-calls.ts';
import { deployment } from './deployment.ts';

/** The services behind the simulated AWS. */
interface Services {
  readonly dynamodb: string;
  readonly events: string;
  readonly ses: string;
  readonly kms: string;
  /** Secrets by parameter name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The response of the model to every prompt. */
  readonly modelText: string;
}

/** A simulated AWS that enforces the roles of functions. */
export interface Aws {
  /** The endpoint of all services except Bedrock. */
  readonly url: string;
  /** The endpoint of Bedrock, which uses HTTP/2. */
  readonly modelUrl: string;
  /** Denied calls, as messages. */
  readonly denied: readonly string[];
  /** The calls by handler. */
  readonly calls: ReadonlyMap<string, readonly AwsCall[]>;
  stop(): Promise<void>;
}

interface AwsRequest {
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = 'application/x-amz-json-1.1';

const SERVICES: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  AWSEvents: 'events',
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  TrentService: 'kms',
  AWSCognitoIdentityProviderService: 'cognito-idp',
};

const OBJECT_OPERATIONS: Readonly<Record<string, string>> = {
  PUT: 'PutObject',
  GET: 'GetObject',
  DELETE: 'DeleteObject',
};

const awsRequestOf = ({ headers, method = '', url = '' }: IncomingMessage, body: string): AwsRequest => {
  const key = /^\/[^/]+\/(imp_\w+)/.exec(url)?.[1];
  if (key) {
    const input = { Key: key, Body: body, Range: headers.range };
    return { service: 's3', operation: OBJECT_OPERATIONS[method] ?? method, input };
  }
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = SERVICES[target];
  if (service) return { service, operation, input: JSON.parse(body) as AwsRequest['input'] };
  if (/^\/model\/[^/]+\/converse$/.test(url)) return { service: 'bedrock', operation: 'Converse', input: {} };
  const form = new URLSearchParams(body);
  return { service: 'ses', operation: form.get('Action') ?? 'none', input: Object.fromEntries(form) };
};

/**
 * Serves a simulated AWS on free local TCP ports. It identifies callers by their credentials (the access key is the id
 * of the handler), denies what the role of the handler does not allow, and forwards other calls.
 */
export const serveAws = async (services: Services): Promise<Aws> => {
  const denied: string[] = [];
  const calls = new Map<string, AwsCall[]>();
  const permissions = new Map<string, readonly Permission[]>();

  const permissionsFor = (handler: string): readonly Permission[] => {
    const known = permissions.get(handler) ?? permissionsOf(deployment, handler);
    permissions.set(handler, known);
    return known;
  };

  const deniedCalls = (handler: string, requested: readonly AwsCall[]): readonly AwsCall[] =>
    requested.filter((call) => !permissionsFor(handler).some((one) => permits(one, call)));

  const respondLocally = ({ service, input }: AwsRequest): unknown => {
    if (service === 'bedrock') {
      return {
        output: { message: { role: 'assistant', content: [{ text: services.modelText }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
      };
    }
    // The queues are empty.
    if (service === 'cognito-idp' || service === 'sqs') return {};
    const value = services.parameters[String(input.Name)];
    if (value === undefined) return { __type: 'ParameterNotFound' };
    return { Parameter: { Name: input.Name, Type: 'SecureString', Value: value } };
  };

  const files = new Map<string, Buffer>();

  const respondFromFiles = ({ operation, input }: AwsRequest, response: ServerResponse): void => {
    const key = String(input.Key);
    if (operation === 'PutObject') files.set(key, Buffer.from(String(input.Body)));
    if (operation === 'DeleteObject') files.delete(key);
    const file = files.get(key);
    if (operation !== 'GetObject') {
      response.writeHead(operation === 'PutObject' ? 200 : 204).end();
    } else if (file) {
      const [from = 0, to = 0] = String(input.Range).replace('bytes=', '').split('-').map(Number);
      const part = file.subarray(from, to + 1);
      const range = `bytes ${from}-${from + part.length - 1}/${file.length}`;
      response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part);
    } else {
      response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    }
  };

  /** With `node:http`, because `fetch` refuses the port of the engine, and with the access key of the local services. */
  const forward = async (to: string, { headers }: IncomingMessage, body: string, response: ServerResponse) => {
    const { 'content-type': type = JSON_TYPE, 'x-amz-target': target, 'x-amz-date': date } = headers;
    const authorization = headers.authorization?.replace(
      /Credential=[^/]+/,
      `Credential=${process.env.AWS_ACCESS_KEY_ID}`,
    );
    const sent = request(to, {
      method: 'POST',
      headers: {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        ...(target !== undefined && { 'x-amz-target': target }),
        ...(authorization !== undefined && { authorization }),
        ...(date !== undefined && { 'x-amz-date': date }),
      },
    }).end(body);
    const [forwarded] = (await once(sent, 'response')) as [IncomingMessage];
    response.writeHead(forwarded.statusCode ?? 500, { 'content-type': forwarded.headers['content-type'] ?? JSON_TYPE });
    response.end(await buffer(forwarded));
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    // The credential of a signed upload is in its URL.
    const signature = incoming.headers.authorization ?? decodeURIComponent(incoming.url ?? '');
    const handler = /Credential=([^/]+)\//.exec(signature)?.[1] ?? '';
    const awsRequest = awsRequestOf(incoming, body);
    const requested = callsOf(awsRequest.operation, awsRequest.input);
    calls.set(handler, [...(calls.get(handler) ?? []), ...requested]);
    recordCalls(handler, requested);
    const deniedHere = deniedCalls(handler, requested);
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': awsRequest.service === 'bedrock' ? 'application/json' : JSON_TYPE });
      response.end(JSON.stringify(value));
    };
    if (deniedHere.length > 0) {
      denied.push(...deniedHere.map((call) => `${handler}: ${JSON.stringify(call)}`));
      json(400, { __type: 'AccessDeniedException', message: `${handler} may not ${awsRequest.operation}.` });
    } else if (awsRequest.service === 's3') {
      respondFromFiles(awsRequest, response);
    } else if (['ssm', 'sqs', 'bedrock', 'cognito-idp'].includes(awsRequest.service)) {
      const value = respondLocally(awsRequest);
      json(Object.hasOwn(value as object, '__type') ? 400 : 200, value);
    } else {
      await forward(services[awsRequest.service as 'dynamodb' | 'events' | 'ses' | 'kms'], incoming, body, response);
    }
  };

  const listener: RequestListener = (incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      denied.push(`A call failed: ${String(error)}`);
      response.writeHead(500).end();
    });
  };
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  // Node’s HTTP/2 compatibility API has the same request and response types.
  const modelServer = createHttp2Server(listener as unknown as Parameters<typeof createHttp2Server>[1]);
  modelServer.listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(modelServer, 'listening')]);
  const urlOf = (one: { address(): unknown }): string => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  return {
    url: urlOf(server),
    modelUrl: urlOf(modelServer),
    denied,
    calls,
    stop: async () => {
      server.closeAllConnections();
      await Promise.all([server, modelServer].map((one) => new Promise((ended) => one.close(ended))));
    },
  };
};
