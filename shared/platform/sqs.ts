import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, lazily } from './aws.ts';

export interface DeadMessage {
  readonly id: string;
  /** The event as the bus sent it, in JSON. */
  readonly body: string;
  /** When it entered the queue, in milliseconds since the epoch. */
  readonly sentMs: number;
  /** Why the last attempt failed, if the queue knows it. */
  readonly error: string | null;
  /** Identifies the reception, for the deletion. */
  readonly handle: string;
}

/** Of one attempt. All of them together take less time than a job reserves for its last step. */
const TIMEOUT_MS = 3000;
/** The maximum of SQS. */
const MESSAGES_MAX = 10;
/** At least one, because a shorter request does not ask all servers of the queue. */
const WAIT_SECONDS = 1;
/**
 * How long a received message is hidden from other runs: longer than it usually takes to store those of one response, and not
 * much longer, because messages whose response was lost are hidden too.
 */
const HIDDEN_SECONDS = 30;

// The region is that of this function, whatever the URL of a queue says.
const client = lazily(() => new SQSClient({ ...clientSettings(TIMEOUT_MS), useQueueUrlAsEndpoint: false }));

const deadMessageOf = ({ MessageId, Body, ReceiptHandle, Attributes, MessageAttributes }: Message): DeadMessage => ({
  id: MessageId ?? '',
  body: Body ?? '',
  sentMs: Number(Attributes?.SentTimestamp),
  // Lambda and EventBridge name the reason differently.
  error: (MessageAttributes?.ErrorMessage ?? MessageAttributes?.ERROR_MESSAGE)?.StringValue ?? null,
  handle: ReceiptHandle ?? '',
});

/** Receives some messages of a queue, and hides them from other runs. */
export const receiveDeadMessages = async (queueUrl: string): Promise<DeadMessage[]> => {
  const { Messages = [] } = await client().send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: MESSAGES_MAX,
      WaitTimeSeconds: WAIT_SECONDS,
      VisibilityTimeout: HIDDEN_SECONDS,
      MessageSystemAttributeNames: ['SentTimestamp'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages.map(deadMessageOf);
};

export const deleteDeadMessage = async (queueUrl: string, { handle }: DeadMessage): Promise<void> => {
  await client().send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: handle }));
};
