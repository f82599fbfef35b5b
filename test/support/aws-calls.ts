import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ImportDoor } from '#local/doors.ts';

/** Which calls of AWS the doors make while they are tested, as far as permissions tell calls apart. */

/** Names the folder in which the processes of a run note the calls they see; without it nobody notes anything. */
export const CALLS_FOLDER = 'AWS_CALLS_FOLDER';

/** What IAM is asked for one call, or for one part of a transaction. */
export interface AwsCall {
  /** As policies write it: `dynamodb:GetItem`. */
  readonly action: string;
  /** What it is done to: `table`, `index feed`, `bus`, `sender`, `mailings`, `model`, or `parameter` and its name. */
  readonly resource: string;
  /** How the partition key begins, up to the first `#` and with it; undefined where there is none. */
  readonly leadingKey?: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (value ?? {}) as Members;

const listOf = (value: unknown): readonly Members[] => (value ?? []) as readonly Members[];

/** A text as programs have it, or as it stands in a request. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(membersOf(value).S));

const beginningOf = (partitionKey: unknown): string => /^[^#]*#?/.exec(textOf(partitionKey))?.[0] ?? '';

const item =
  (action: string) =>
  (input: Members): AwsCall => ({
    action: `dynamodb:${action}`,
    resource: 'table',
    leadingKey: beginningOf(membersOf(input.Key ?? input.Item).pk),
  });

const query = (input: Members): AwsCall[] => [
  {
    action: 'dynamodb:Query',
    resource: input.IndexName === undefined ? 'table' : `index ${textOf(input.IndexName)}`,
    leadingKey: beginningOf(membersOf(input.ExpressionAttributeValues)[':p']),
  },
];

/** DynamoDB asks for the parts of a transaction one by one, by the names of single calls. */
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
      if (!call) throw new Error(`A transaction has a part that nobody knows: ${kind}.`);
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
  SendEmail: (input) =>
    ['sender', ...(input.ConfigurationSetName === undefined ? [] : ['mailings'])].map((resource) => ({
      action: 'ses:SendEmail',
      resource,
    })),
  GetParameter: (input) => [{ action: 'ssm:GetParameter', resource: `parameter ${textOf(input.Name)}` }],
  Converse: () => [{ action: 'bedrock:InvokeModel', resource: 'model' }],
};

/** Names of the document client for what the service calls otherwise. */
const SERVICE_NAMES: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  BatchGet: 'BatchGetItem',
  BatchWrite: 'BatchWriteItem',
  TransactWrite: 'TransactWriteItems',
  TransactGet: 'TransactGetItems',
};

/**
 * What IAM is asked for an operation.
 * @param operation its name, the service's or the document client's.
 * @param input what it is called with, in either form.
 * @throws for an operation that nobody has said this of yet.
 */
export const callsOf = (operation: string, input: unknown): readonly AwsCall[] => {
  const reader = READERS[SERVICE_NAMES[operation] ?? operation];
  if (!reader) throw new Error(`Say in test/support/aws-calls.ts what IAM is asked for ${operation}.`);
  return reader(membersOf(input));
};

const noted = new Set<string>();

/** Notes a door's calls, each once per process. */
export const noteCalls = (door: string, calls: readonly AwsCall[]): void => {
  const folder = process.env[CALLS_FOLDER];
  if (!folder) return;
  for (const { action, resource, leadingKey = '' } of calls) {
    const line = [door, action, resource, leadingKey].join('\t');
    if (noted.has(line)) continue;
    noted.add(line);
    appendFileSync(join(folder, `${process.pid}-${threadId}`), `${line}\n`);
  }
};

/** The calls that the processes of a run have noted, by door. */
export const callsIn = (folder: string): ReadonlyMap<string, readonly AwsCall[]> => {
  const byDoor = new Map<string, AwsCall[]>();
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  for (const line of new Set(lines.filter((text) => text !== ''))) {
    const [door = '', action = '', resource = '', leadingKey] = line.split('\t');
    byDoor.set(door, [...(byDoor.get(door) ?? []), { action, resource, leadingKey: leadingKey || undefined }]);
  }
  return byDoor;
};

const running = new AsyncLocalStorage<string>();

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: unknown;
}

type Send = (this: unknown, command: Command, ...others: unknown[]) => unknown;

/** All clients of the SDK send through the one method of the class that they have in common. */
const shared = Object.getPrototypeOf(DynamoDBClient.prototype) as { send: Send };
const { send } = shared;
shared.send = function (command, ...others) {
  const door = running.getStore();
  if (door !== undefined && process.env[CALLS_FOLDER]) {
    noteCalls(door, callsOf(command.constructor.name.replace(/Command$/, ''), command.input));
  }
  return send.call(this, command, ...others);
};

/** Does the work of a door without it, such as at another time than now, and notes what it calls as the door's. */
export const asDoor = <T>(door: string, work: () => T): T => running.run(door, work);

/** Finds doors as before, and notes what they call while they run. */
export const watched =
  (load: ImportDoor): ImportDoor =>
  async (id) => {
    const handler = await load(id);
    const noting = (...given: Parameters<typeof handler>) => asDoor(id, () => handler(...given));
    // Handlers whose answer is streamed carry a mark.
    return Object.assign(noting, handler);
  };
