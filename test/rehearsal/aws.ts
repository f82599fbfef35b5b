import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Permission, permissionsOf, permits } from '#test/infra/permissions.ts';
import { type AwsCall, callsOf, noteCalls } from '#test/support/aws-calls.ts';
import { deployment } from './deployment.ts';

/** Where the services are that stand behind this one. */
export interface Services {
  readonly dynamodb: string;
  readonly events: string;
  readonly ses: string;
  /** The secrets, by the names of their parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What the model says to everything. */
  readonly words: string;
}

/** AWS as a function sees it. */
export interface Aws {
  /** The address of all services but the model's. */
  readonly url: string;
  /** The address of the model, which is spoken to by HTTP/2 alone. */
  readonly modelUrl: string;
  /** What was asked and is not allowed, in words. */
  readonly denied: readonly string[];
  /** Which doors have called anything. */
  readonly calls: ReadonlyMap<string, readonly AwsCall[]>;
  stop(): Promise<void>;
}

interface Asked {
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = 'application/x-amz-json-1.1';

const SERVICES: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  AWSEvents: 'events',
  AmazonSSM: 'ssm',
};

const askedOf = ({ headers, url = '' }: IncomingMessage, body: string): Asked => {
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = SERVICES[target];
  if (service) return { service, operation, input: JSON.parse(body) as Asked['input'] };
  if (/^\/model\/[^/]+\/converse$/.test(url)) return { service: 'bedrock', operation: 'Converse', input: {} };
  const form = new URLSearchParams(body);
  return { service: 'ses', operation: form.get('Action') ?? 'nothing', input: Object.fromEntries(form) };
};

/**
 * Serves AWS on free ports of the loopback. Like the real one it knows callers by their credentials, here the id of a door as
 * access key, and refuses what the role of that door does not allow; the rest is handed on.
 */
export const serveAws = async (services: Services): Promise<Aws> => {
  const denied: string[] = [];
  const calls = new Map<string, AwsCall[]>();
  const permissions = new Map<string, readonly Permission[]>();

  const permissionsFor = (door: string): readonly Permission[] => {
    const known = permissions.get(door) ?? permissionsOf(deployment, door);
    permissions.set(door, known);
    return known;
  };

  const refusedOf = (door: string, asked: readonly AwsCall[]): readonly AwsCall[] =>
    asked.filter((call) => !permissionsFor(door).some((one) => permits(one, call)));

  const answerLocally = ({ service, input }: Asked): unknown => {
    if (service === 'bedrock') {
      return {
        output: { message: { role: 'assistant', content: [{ text: services.words }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
      };
    }
    const value = services.parameters[String(input.Name)];
    if (value === undefined) return { __type: 'ParameterNotFound' };
    return { Parameter: { Name: input.Name, Type: 'SecureString', Value: value } };
  };

  const handOn = async (to: string, { headers }: IncomingMessage, body: string, response: ServerResponse) => {
    const { 'content-type': type = JSON_TYPE, 'x-amz-target': target, authorization } = headers;
    const answer = await fetch(to, {
      method: 'POST',
      body,
      headers: {
        'content-type': type,
        ...(target !== undefined && { 'x-amz-target': String(target) }),
        ...(authorization !== undefined && { authorization }),
        'x-amz-date': String(headers['x-amz-date']),
      },
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? JSON_TYPE });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const door = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const asked = askedOf(request, body);
    const wanted = callsOf(asked.operation, asked.input);
    calls.set(door, [...(calls.get(door) ?? []), ...wanted]);
    noteCalls(door, wanted);
    const refused = refusedOf(door, wanted);
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': asked.service === 'bedrock' ? 'application/json' : JSON_TYPE });
      response.end(JSON.stringify(value));
    };
    if (refused.length > 0) {
      denied.push(...refused.map((call) => `${door}: ${JSON.stringify(call)}`));
      json(400, { __type: 'AccessDeniedException', message: `${door} may not ${asked.operation}.` });
    } else if (asked.service === 'ssm' || asked.service === 'bedrock') {
      const value = answerLocally(asked);
      json(Object.hasOwn(value as object, '__type') ? 400 : 200, value);
    } else {
      await handOn(services[asked.service as 'dynamodb' | 'events' | 'ses'], request, body, response);
    }
  };

  const listener: RequestListener = (request, response) => {
    handle(request, response).catch((error: unknown) => {
      denied.push(`A call could not be answered: ${String(error)}`);
      response.writeHead(500).end();
    });
  };
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  // Its requests and responses have the shape of HTTP/1's.
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
