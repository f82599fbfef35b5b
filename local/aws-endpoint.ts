import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import * as z from 'zod';
import { log } from '#platform/log.ts';
import { AwsError } from './aws-error.ts';
import type { Bus } from './bus.ts';
import { openDeadLetterQueues } from './dead-letter-queues.ts';
import { escapeHtml } from './html.ts';
import type { KeyService } from './key-service.ts';
import { type MockEndpoint, serveMock } from './listening.ts';
import type { MailService } from './mail.ts';
import { StorageFailure } from './storage.ts';

const BODY_MAX = 30 * 1024 * 1024;
const JSON_TYPE = 'application/x-amz-json-1.1';
const XML_TYPE = 'text/xml';

interface AwsResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const xmlError = (code: string, message: string): string =>
  [
    '<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/">',
    `<Error><Type>Sender</Type><Code>${escapeHtml(code)}</Code><Message>${escapeHtml(message)}</Message></Error>`,
    `<RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
  ].join('');

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AwsError('SerializationException', `The body is not JSON: ${(cause as Error).message}`);
  }
};

const DescribeEventBus = z.object({ Name: z.string().min(1).max(1600).default('default') });

/**
 * There is one bus; it has every name. Its description fails when it cannot store events, so that a deep health check
 * reports a full disk.
 */
const describeEventBus = (bus: Bus, request: unknown): unknown => {
  bus.check();
  const parsed = DescribeEventBus.safeParse(request);
  if (!parsed.success) throw new AwsError('ValidationException', z.prettifyError(parsed.error));
  const { Name } = parsed.data;
  return { Name, Arn: `arn:aws:events:local:000000000000:event-bus/${Name}` };
};

type Operations = Readonly<Record<string, (request: unknown) => unknown>>;

const jsonService = (operations: Operations, target: string, body: string): AwsResponse => {
  try {
    const operation = operations[target];
    if (!operation) throw new AwsError('UnknownOperationException', `${target} is not supported.`);
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(operation(parseJson(body))) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return {
      status: 400,
      contentType: JSON_TYPE,
      body: JSON.stringify({ __type: error.code, message: error.message }),
    };
  }
};

const ses = async (mail: MailService, body: string): Promise<AwsResponse> => {
  try {
    return { status: 200, contentType: XML_TYPE, body: await mail.send(new URLSearchParams(body)) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return { status: 400, contentType: XML_TYPE, body: xmlError(error.code, error.message) };
  }
};

/**
 * Whether a request is signed in the name of this process. Web pages can send requests without the header
 * `Authorization`, and other programs do not know the key, which is random where the user has not set one.
 */
const isOwn = (authorization: string | undefined): boolean => {
  const [, key] = /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\//.exec(authorization ?? '') ?? [];
  // A profile has a key that this process has not read.
  return key !== undefined && (!process.env.AWS_ACCESS_KEY_ID || key === process.env.AWS_ACCESS_KEY_ID);
};

/**
 * Serves the bus with its dead-letter queues, the mail service and the key service in the protocols of EventBridge, SQS,
 * KMS (JSON) and SES (Query), on a port of its own.
 */
export const serveAws = async (bus: Bus, mail: MailService, keys: KeyService): Promise<MockEndpoint> => {
  const queues = openDeadLetterQueues(bus);
  const operations: Operations = {
    'AWSEvents.PutEvents': (request) => bus.putEvents(request),
    'AWSEvents.DescribeEventBus': (request) => describeEventBus(bus, request),
    'AmazonSQS.ReceiveMessage': (request) => queues.receiveMessage(request),
    'AmazonSQS.DeleteMessage': (request) => queues.deleteMessage(request),
    'TrentService.Encrypt': (request) => keys.encrypt(request),
    'TrentService.Decrypt': (request) => keys.decrypt(request),
  };
  const app = Fastify({ bodyLimit: BODY_MAX, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  app.all('/', async (request, reply) => {
    if (!isOwn(request.headers.authorization)) {
      const error = { __type: 'UnrecognizedClientException', message: 'The access key is another.' };
      return reply.code(403).type(JSON_TYPE).send(JSON.stringify(error));
    }
    const body = (request.body as string | undefined) ?? '';
    const target = request.headers['x-amz-target'];
    const response = typeof target === 'string' ? jsonService(operations, target, body) : await ses(mail, body);
    return reply.code(response.status).type(response.contentType).send(response.body);
  });
  app.setErrorHandler((error, _, reply) => {
    // A data folder that cannot be written is logged once, by the storage.
    if (!(error instanceof StorageFailure)) log.error('the local AWS endpoint failed', { error: error as Error });
    return reply.code(500).header('connection', 'close').send();
  });
  return await serveMock(app);
};
