import { createHash } from 'node:crypto';
import * as z from 'zod';
import { AwsError } from './aws-error.ts';
import type { Bus, DeadMessage } from './bus.ts';

/** The operations of SQS that the service uses, on the dead letters of the bus: one queue per subscription. */
interface DeadLetterQueues {
  receiveMessage(request: unknown): unknown;
  deleteMessage(request: unknown): unknown;
}

/** The URL of the dead-letter queue of a subscription. */
export const queueUrlOf = (awsEndpoint: string, subscription: string): string =>
  `${awsEndpoint}/000000000000/${subscription}`;

const QueueUrl = z.url();
const ReceiveMessage = z.object({
  QueueUrl,
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: z.int().min(0).max(43_200).default(30),
});
const DeleteMessage = z.object({ QueueUrl, ReceiptHandle: z.string().regex(/^\d+$/) });

const parse = <T>(schema: z.ZodType<T>, request: unknown): T => {
  const parsed = schema.safeParse(request);
  if (!parsed.success) throw new AwsError('InvalidParameterValue', z.prettifyError(parsed.error));
  return parsed.data;
};

const messageOf = ({ id, body, due, error, event }: DeadMessage) => ({
  MessageId: id,
  ReceiptHandle: String(event),
  MD5OfBody: createHash('md5').update(body).digest('hex'),
  Body: body,
  Attributes: { SentTimestamp: String(due) },
  MessageAttributes: { ...(error !== null && { ErrorMessage: { DataType: 'String', StringValue: error } }) },
});

/** Opens the queues. A received message is hidden for the requested time, as in SQS. */
export const openDeadLetterQueues = (bus: Bus): DeadLetterQueues => {
  const hiddenUntil = new Map<string, number>();
  return {
    receiveMessage: (request) => {
      const { QueueUrl: url, MaxNumberOfMessages: count, VisibilityTimeout: seconds } = parse(ReceiveMessage, request);
      const subscription = url.slice(url.lastIndexOf('/') + 1);
      const visible = bus
        .deadMessages(subscription)
        .filter(({ event }) => (hiddenUntil.get(`${subscription} ${event}`) ?? 0) <= performance.now())
        .slice(0, count);
      for (const { event } of visible) hiddenUntil.set(`${subscription} ${event}`, performance.now() + seconds * 1000);
      return { Messages: visible.map(messageOf) };
    },
    deleteMessage: (request) => {
      const { QueueUrl: url, ReceiptHandle: handle } = parse(DeleteMessage, request);
      const subscription = url.slice(url.lastIndexOf('/') + 1);
      bus.removeDeadMessage(subscription, { event: Number(handle) });
      hiddenUntil.delete(`${subscription} ${handle}`);
      return {};
    },
  };
};
