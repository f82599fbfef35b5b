import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { defaultSettings, embeddedEngine, setVariables } from '#local/environment.ts';
import { readRecord } from '#local/leftover-processes.ts';
import { runTasks, type Send, sendContinuously } from './measuring.ts';

/**
 * The process that calls the handlers directly, on the table of a running service. Started by http.ts with `DATA_DIR`.
 */

const record = readRecord(`${process.env.DATA_DIR}/engine.json`);
if (!record) throw new Error('DATA_DIR must name the data folder of a running service.');
setVariables({
  ...embeddedEngine(`http://${record.host}:${record.port}`),
  ...defaultSettings({ port: 0, awsEndpoint: 'http://127.0.0.1:0' }),
});

type RouteHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const handlers: Readonly<Record<string, { readonly resource: string; readonly handler: RouteHandler }>> = {
  list: { resource: '/api/projects', handler: (await import('#functions/projects/list.ts')).handler },
  read: { resource: '/api/projects/{project}', handler: (await import('#functions/projects/read.ts')).handler },
};

/** The gateway event of a GET request, without fields that no handler reads. */
const eventOf = (resource: string, path: string): APIGatewayProxyEvent => {
  const [pathname = '', query = ''] = path.split('?');
  const parameters = [...new URLSearchParams(query)];
  const headers = { host: 'localhost', accept: 'application/json' };
  return {
    resource,
    path: pathname,
    httpMethod: 'GET',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
    multiValueQueryStringParameters:
      parameters.length === 0 ? null : Object.fromEntries(parameters.map(([name, value]) => [name, [value]])),
    pathParameters: resource.includes('{') ? { project: pathname.slice('/api/projects/'.length) } : null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: '7f1c0000-6a77-4a0e-b4f6-3f1f1c8f0a11',
      identity: { sourceIp: '127.0.0.1', apiKeyId: null, userAgent: null },
      stage: 'local',
    } as unknown as APIGatewayProxyEvent['requestContext'],
  };
};

/** Long enough for the first call, which loads the catalog. */
const TIME_MS = 600_000;

/** A new one per call: middleware keeps state in it. */
const newContext = (): Context =>
  ({ awsRequestId: 'bench', getRemainingTimeInMillis: () => TIME_MS }) as unknown as Context;

const FAILED = 400;

runTasks((task) => {
  const calls = task.paths.map((path) => {
    const { resource, handler } = (
      path.startsWith('/api/projects/') ? handlers.read : handlers.list
    ) as (typeof handlers)['list'];
    return { path, resource, handler };
  });
  const send: Send = async (position) => {
    const { path, resource, handler } = calls[position % calls.length] as (typeof calls)[number];
    const { statusCode } = await handler(eventOf(resource, path), newContext());
    if (statusCode >= FAILED) throw new Error(`${path} answered ${statusCode}.`);
  };
  return sendContinuously(
    Array.from({ length: task.concurrency }, () => send),
    task,
  );
});
