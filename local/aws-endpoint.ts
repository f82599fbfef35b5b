import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { log } from '#platform/log.ts';
import { AwsFailure } from './aws-failure.ts';
import { readBody } from './body.ts';
import type { Bus } from './bus.ts';
import { escapeHtml } from './html.ts';
import { type ServedAlone, serveAlone } from './listening.ts';
import type { MailService } from './mail.ts';

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const BODY_MAX = 30 * 1024 * 1024;
const JSON_TYPE = 'application/x-amz-json-1.1';

const xmlFailure = (code: string, message: string): string =>
  [
    '<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/">',
    `<Error><Type>Sender</Type><Code>${escapeHtml(code)}</Code><Message>${escapeHtml(message)}</Message></Error>`,
    `<RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
  ].join('');

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AwsFailure('SerializationException', `The body is not JSON: ${(cause as Error).message}`);
  }
};

const DescribeEventBus = z.object({ Name: z.string().min(1).max(1600).default('default') });

/** The one bus there is goes by every name. */
const describeEventBus = (request: unknown): unknown => {
  const parsed = DescribeEventBus.safeParse(request);
  if (!parsed.success) throw new AwsFailure('ValidationException', z.prettifyError(parsed.error));
  const { Name } = parsed.data;
  return { Name, Arn: `arn:aws:events:local:000000000000:event-bus/${Name}` };
};

const eventOperations = (bus: Bus): Readonly<Record<string, (request: unknown) => unknown>> => ({
  'AWSEvents.PutEvents': (request) => bus.putEvents(request),
  'AWSEvents.DescribeEventBus': describeEventBus,
});

const events = (bus: Bus, target: string, body: string): Answer => {
  try {
    const operation = eventOperations(bus)[target];
    if (!operation) throw new AwsFailure('UnknownOperationException', `There is no ${target} here.`);
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(operation(parsedJson(body))) };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return {
      status: 400,
      contentType: JSON_TYPE,
      body: JSON.stringify({ __type: error.code, message: error.message }),
    };
  }
};

const mail = (service: MailService, body: string): Answer => {
  try {
    return { status: 200, contentType: 'text/xml', body: service.send(new URLSearchParams(body)) };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { status: 400, contentType: 'text/xml', body: xmlFailure(error.code, error.message) };
  }
};

/** Serves the bus and the mail service in the protocols of EventBridge and SES, on a free port of the loopback. */
export const serveAws = async (bus: Bus, service: MailService): Promise<ServedAlone> => {
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const body = (await readBody(request, BODY_MAX)).toString('utf8');
    const target = request.headers['x-amz-target'];
    return typeof target === 'string' ? events(bus, target, body) : mail(service, body);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { status, contentType, body } = await answer(request);
      response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      log.error('the local AWS endpoint failed', { error: error as Error });
      response.writeHead(500, { 'content-type': 'text/plain', connection: 'close' }).end();
    }
  };
  return await serveAlone(handle);
};
