import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import DataLoader from 'dataloader';
import type { ImportHandler } from '#local/handlers.ts';

/** Records the AWS calls that each handler makes during tests, in the detail that IAM permissions distinguish. */

/**
 * The variable with the folder to which the processes of a run write; nothing is recorded without it. Its name does not begin with
 * `AWS_`: the parts of one machine hide such variables.
 */
export const CALLS_FOLDER = 'CALLS_SEEN_FOLDER';

/** What IAM authorizes for one call, or for one part of a transaction. */
export interface AwsCall {
  /** As in policies: `dynamodb:GetItem`. */
  readonly action: string;
  /**
   * `table`, `index feed`, `bus`, `sender`, `mailings`, `model`, `user pool`, `webhook key`, `uploads`,
   * `dead-letter queue`, or `parameter` and its name.
   */
  readonly resource: string;
  /** The partition key up to and including the first `#`; undefined for calls without a key. */
  readonly leadingKey?: string | undefined;
  /** The attributes that a write of a user or an API key names; of other items they are not limited. */
  readonly attributes?: readonly string[] | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (value ?? {}) as Members;

const listOf = (value: unknown): readonly Members[] => (value ?? []) as readonly Members[];

/** A string as the document client takes it, or as an attribute value. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(membersOf(value).S));

const keyPrefixOf = (partitionKey: unknown): string => /^[^#]*#?/.exec(textOf(partitionKey))?.[0] ?? '';

const KEYWORDS: ReadonlySet<string> = new Set(['SET', 'ADD', 'REMOVE', 'DELETE', 'AND', 'OR', 'NOT', 'IN', 'BETWEEN']);

/** The attributes of a write: of the item, or in its key and expressions. */
const attributesOf = (input: Members): readonly string[] => {
  const expressions = `${String(input.UpdateExpression ?? '')} ${String(input.ConditionExpression ?? '')}`;
  // Neither placeholders nor functions.
  const named = [...expressions.matchAll(/(?<![#:\w])[a-zA-Z_]\w*(?!\w|\s*\()/g)].map(([name]) => name);
  return [
    // The document client omits undefined attributes.
    ...Object.entries(membersOf(input.Item ?? input.Key)).flatMap(([name, value]) => (value === undefined ? [] : name)),
    ...Object.values(membersOf(input.ExpressionAttributeNames)).map(String),
    ...named.filter((name) => !KEYWORDS.has(name)),
  ];
};

const item =
  (action: string) =>
  (input: Members): AwsCall => {
    const leadingKey = keyPrefixOf(membersOf(input.Key ?? input.Item).pk);
    const isLimited = /^(?:USER#|API_KEYS)$/.test(leadingKey) && /^(?:Put|Update)Item$/.test(action);
    return {
      action: `dynamodb:${action}`,
      resource: 'table',
      leadingKey,
      ...(isLimited && { attributes: [...new Set(attributesOf(input))].sort() }),
    };
  };

const query = (input: Members): AwsCall[] => [
  {
    action: 'dynamodb:Query',
    resource: input.IndexName === undefined ? 'table' : `index ${textOf(input.IndexName)}`,
    leadingKey: keyPrefixOf(membersOf(input.ExpressionAttributeValues)[':p']),
  },
];

/** DynamoDB authorizes each part of a transaction as the corresponding single call. */
const PARTS: Readonly<Record<string, (input: Members) => AwsCall>> = {
  Put: item('PutItem'),
  Update: item('UpdateItem'),
  Delete: item('DeleteItem'),
  ConditionCheck: item('ConditionCheckItem'),
  Get: item('GetItem'),
};

const transaction = (input: Members): AwsCall[] =>
  listOf(input.TransactItems).flatMap((part) =>
    Object.entries(part).map(([kind, one]) => {
      const call = PARTS[kind];
      if (!call) throw new Error(`Unknown part of a transaction: ${kind}.`);
      return call(membersOf(one));
    }),
  );

const batchRead = (input: Members): AwsCall[] =>
  Object.values(membersOf(input.RequestItems)).flatMap((ofTable) =>
    listOf(membersOf(ofTable).Keys).map((Key) => item('BatchGetItem')({ Key })),
  );

const batchWrite = (input: Members): AwsCall[] =>
  Object.values(membersOf(input.RequestItems)).flatMap((requests) =>
    listOf(requests).flatMap((request) => Object.values(request).map((one) => item('BatchWriteItem')(membersOf(one)))),
  );

const one =
  (action: string) =>
  (input: Members): AwsCall[] => [item(action)(input)];

const READERS: Readonly<Record<string, (input: Members) => readonly AwsCall[]>> = {
  GetItem: one('GetItem'),
  PutItem: one('PutItem'),
  UpdateItem: one('UpdateItem'),
  DeleteItem: one('DeleteItem'),
  Query: query,
  BatchGetItem: batchRead,
  BatchWriteItem: batchWrite,
  TransactWriteItems: transaction,
  TransactGetItems: transaction,
  DescribeEventBus: () => [{ action: 'events:DescribeEventBus', resource: 'bus' }],
  PutEvents: () => [{ action: 'events:PutEvents', resource: 'bus' }],
  SendRawEmail: (input) =>
    ['sender', ...(input.ConfigurationSetName === undefined ? [] : ['mailings'])].map((resource) => ({
      action: 'ses:SendRawEmail',
      resource,
    })),
  GetParameter: (input) => [{ action: 'ssm:GetParameter', resource: `parameter ${textOf(input.Name)}` }],
  AdminDeleteUser: () => [{ action: 'cognito-idp:AdminDeleteUser', resource: 'user pool' }],
  Encrypt: () => [{ action: 'kms:Encrypt', resource: 'webhook key' }],
  Decrypt: () => [{ action: 'kms:Decrypt', resource: 'webhook key' }],
  PutObject: () => [{ action: 's3:PutObject', resource: 'uploads imp_*' }],
  // S3 needs the second one to tell a missing file from a forbidden one.
  GetObject: () => [
    { action: 's3:GetObject', resource: 'uploads imp_*' },
    { action: 's3:ListBucket', resource: 'uploads' },
  ],
  DeleteObject: () => [{ action: 's3:DeleteObject', resource: 'uploads imp_*' }],
  ReceiveMessage: () => [{ action: 'sqs:ReceiveMessage', resource: 'dead-letter queue' }],
  DeleteMessage: () => [{ action: 'sqs:DeleteMessage', resource: 'dead-letter queue' }],
  Converse: () => [{ action: 'bedrock:InvokeModel', resource: 'model' }],
};

/**
 * The calls that IAM authorizes for an operation.
 * @param operation as the service names it.
 * @param input the input of the command, with plain values or attribute values.
 * @throws {Error} for an operation that is not listed in `READERS`.
 */
export const callsOf = (operation: string, input: unknown): readonly AwsCall[] => {
  const reader = READERS[operation];
  if (!reader) throw new Error(`Add the permissions of ${operation} to test/support/aws-calls.ts.`);
  return reader(membersOf(input));
};

const recorded = new Set<string>();

/** Records a handler's calls, each once per process. */
export const recordCalls = (handlerId: string, calls: readonly AwsCall[]): void => {
  const folder = process.env[CALLS_FOLDER];
  if (!folder) return;
  for (const { action, resource, leadingKey = '', attributes = [] } of calls) {
    const line = [handlerId, action, resource, leadingKey, attributes.join()].join('\t');
    if (recorded.has(line)) continue;
    recorded.add(line);
    appendFileSync(join(folder, `${process.pid}-${threadId}`), `${line}\n`);
  }
};

/** The calls recorded in a folder, by handler id. */
export const readCalls = (folder: string): ReadonlyMap<string, readonly AwsCall[]> => {
  const byHandler = new Map<string, AwsCall[]>();
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  for (const line of new Set(lines.filter((text) => text !== ''))) {
    const [handlerId = '', action = '', resource = '', leadingKey, attributes] = line.split('\t');
    byHandler.set(handlerId, [
      ...(byHandler.get(handlerId) ?? []),
      {
        action,
        resource,
        leadingKey: leadingKey || undefined,
        attributes: attributes ? attributes.split(',') : undefined,
      },
    ]);
  }
  return byHandler;
};

/** A run of a handler. */
interface HandlerRun {
  readonly handlerId: string;
  /** The items that it reads in this iteration of the event loop. */
  readonly reads: Set<unknown>;
}

const currentRun = new AsyncLocalStorage<HandlerRun | undefined>();

/** Records the calls of an operation as those of the current handler. */
const recordOperation = (operation: string, input: () => unknown): void => {
  const run = currentRun.getStore();
  if (run && process.env[CALLS_FOLDER]) recordCalls(run.handlerId, callsOf(operation, input()));
};

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: unknown;
}

type Send = (this: unknown, command: Command, ...others: unknown[]) => unknown;

/** The operations of the document client's commands, where their names differ. */
const OPERATIONS: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  BatchGet: 'BatchGetItem',
  BatchWrite: 'BatchWriteItem',
  TransactGet: 'TransactGetItems',
  TransactWrite: 'TransactWriteItems',
};

/** The base class of all SDK clients; every command passes its `send`. */
const sdkClient = Object.getPrototypeOf(SESClient.prototype) as { send: Send };
const { send } = sdkClient;
sdkClient.send = function (command, ...others) {
  const name = command.constructor.name.replace(/Command$/, '');
  recordOperation(OPERATIONS[name] ?? name, () => command.input);
  return send.call(this, command, ...others);
};

// S3 authorizes an upload as a call of the function that has signed it. Signing resolves the command without sending it.
const { resolveMiddleware } = PutObjectCommand.prototype;
PutObjectCommand.prototype.resolveMiddleware = function (...given) {
  recordOperation('PutObject', () => ({}));
  return resolveMiddleware.apply(this, given);
};

const recordReads = ({ reads }: HandlerRun): void => {
  const Keys = [...reads];
  reads.clear();
  if (Keys.length === 1) recordOperation('GetItem', () => ({ Key: Keys[0] }));
  else recordOperation('BatchGetItem', () => ({ RequestItems: { table: { Keys } } }));
};

// Items that several handlers read at the same moment share a batch here, but not on AWS, where each has a process of its own. So
// the reads of each are recorded as the call that they would be there, and the shared call belongs to no handler.
const { load: read } = DataLoader.prototype;
DataLoader.prototype.load = function (key: unknown) {
  const run = currentRun.getStore();
  if (run?.reads.size === 0) setImmediate(recordReads, run);
  run?.reads.add(key);
  return currentRun.run(undefined, () => read.call(this, key));
};

/** Runs work outside its handler, for example at another time, and records its calls as the handler's. */
export const runAsHandler = <T>(handlerId: string, work: () => T): T =>
  currentRun.run({ handlerId, reads: new Set() }, work);

/** Wraps the import of handlers so that their calls are recorded. */
export const recordingCalls =
  (load: ImportHandler): ImportHandler =>
  async (id) => {
    const handler = await load(id);
    const recording = (...given: Parameters<typeof handler>) => runAsHandler(id, () => handler(...given));
    // Streaming handlers are marked by a property.
    return Object.assign(recording, handler);
  };
