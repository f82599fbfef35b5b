import { randomUUID } from 'node:crypto';
import { marshall, type marshallOptions, unmarshall } from '@aws-sdk/util-dynamodb';
import {
  type AwsError,
  connect,
  JsonClient,
  MAX_ATTEMPTS,
  type Members,
  type Metadata,
  type SendOptions,
} from './aws-json.ts';
import type { Command } from './dynamo-commands.ts';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from './dynamo-errors.ts';
import { settings } from './settings.ts';

const MARSHALL_OPTIONS: marshallOptions = { removeUndefinedValues: true };

const toAttributes = (item: unknown): unknown => marshall(item as Members, MARSHALL_OPTIONS);

const toItem = (attributes: unknown): unknown => unmarshall(attributes as Parameters<typeof unmarshall>[0]);

/** Members of requests and responses that are an item, or a part of one. */
const ITEMS: ReadonlySet<string> = new Set([
  'Item',
  'Key',
  'Attributes',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
]);
/** Members that are a list of items. */
const ITEM_LISTS: ReadonlySet<string> = new Set(['Items', 'Keys']);
/** Members that have a member per table, whose names are not those of the protocol. */
const PER_TABLE: ReadonlySet<string> = new Set(['RequestItems', 'Responses', 'UnprocessedKeys', 'UnprocessedItems']);

const mapMembers = (members: object, map: (member: unknown, name: string) => unknown): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member, name)]));

/** Converts all items in a request or a response. */
const convertItems = (value: unknown, convert: (item: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((element) => convertItems(element, convert));
  if (typeof value !== 'object' || value === null) return value;
  return mapMembers(value, (member, name) => {
    if (member === undefined || member === null) return member;
    if (ITEMS.has(name)) return convert(member);
    if (ITEM_LISTS.has(name)) return (member as readonly unknown[]).map(convert);
    if (!PER_TABLE.has(name) || Array.isArray(member)) return convertItems(member, convert);
    // A batch read responds with a list of items per table.
    const isItemList = name === 'Responses';
    return mapMembers(member, (ofTable) =>
      isItemList ? (ofTable as readonly unknown[]).map(convert) : convertItems(ofTable, convert),
    );
  });
};

/** Writes bytes as base64. Reads the member itself: `value` is the result of `Buffer.toJSON`. */
function encodeBytes(this: Members, name: string, value: unknown): unknown {
  const bytes = this[name];
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : value;
}

const decodeBytes = (name: string, value: unknown): unknown =>
  name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;

/** Only snapshots contain bytes; a function for each member would slow down all other responses. */
const parseOutput = (text: string): unknown => JSON.parse(text, text.includes('"B":"') ? decodeBytes : undefined);

const ERROR_CLASSES = { ConditionalCheckFailedException, TransactionConflictException, TransactionCanceledException };

/** Sends commands to DynamoDB. */
export class DynamoClient extends JsonClient {
  /** @throws {AwsError} that DynamoDB responded with, and what `JsonClient` throws. */
  async send<Input extends object, Output>(
    { operation, input }: Command<Input, Output>,
    options: SendOptions = {},
  ): Promise<NonNullable<Command<Input, Output>['output']>> {
    // Attempts with the same token are one transaction.
    const identified = operation === 'TransactWriteItems' ? { ClientRequestToken: randomUUID(), ...input } : input;
    const body = JSON.stringify(convertItems(identified, toAttributes), encodeBytes);
    const output = parseOutput(await this.request(operation, body, options));
    return convertItems(output, toItem) as NonNullable<Command<Input, Output>['output']>;
  }

  protected override errorOf(members: Members, $metadata: Metadata): AwsError {
    const error = super.errorOf(members, $metadata);
    const { name, message } = error;
    if (!Object.hasOwn(ERROR_CLASSES, name)) return error;
    const reasons = members.CancellationReasons as TransactionCanceledException['CancellationReasons'] | undefined;
    const details = { message, $metadata, ...(reasons && { CancellationReasons: reasons }) };
    return new ERROR_CLASSES[name as keyof typeof ERROR_CLASSES](details);
  }
}

const connectToTable = () =>
  connect({
    name: 'dynamodb',
    target: 'DynamoDB_20120810',
    contentType: 'application/x-amz-json-1.0',
    endpointVariable: 'AWS_ENDPOINT_URL_DYNAMODB',
    timeoutMs: settings().tableTimeoutMs,
  });

let client: DynamoClient | undefined;

/** The DynamoDB client of this process; `AWS_ENDPOINT_URL_DYNAMODB` selects another engine. */
export const dynamo = (): DynamoClient => {
  client ??= new DynamoClient(connectToTable(), MAX_ATTEMPTS);
  return client;
};

let singleAttemptClient: DynamoClient | undefined;

/** A client that sends each request once, over the connections and with the credentials of `dynamo`. */
export const dynamoWithoutRetries = (): DynamoClient => {
  singleAttemptClient ??= new DynamoClient(dynamo().connection, 1);
  return singleAttemptClient;
};
