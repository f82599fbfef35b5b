import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { dynamo } from '#platform/dynamo.ts';
import { itemBytes } from '../catalog/item-size.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a partition takes, by DynamoDB's documentation, in units a second. */
const READ_UNITS = 3000;
const WRITE_UNITS = 1000;
/** A new on-demand table takes 4,000 write and 12,000 read units a second. */
const PARTITIONS = 4;

// Assumed times of a request, in milliseconds: of a small one, of a part of a snapshot, of a page of 1 MB, of a transaction.
const SMALL_MS = 4;
const PART_MS = 12;
const PAGE_MS = 24;
const TRANSACTION_MS = 12;

/** As of the service's own client. */
const ATTEMPTS = 3;

export type Item = Record<string, unknown>;

/** Unused units of the last seconds, at most `burstSeconds`. A request passes while any are left. */
class Budget {
  readonly #clock: VirtualClock;
  readonly #perSecond: number;
  readonly #max: number;
  #left: number;
  #at = 0;

  constructor(clock: VirtualClock, perSecond: number, burstSeconds: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#max = perSecond * burstSeconds;
    this.#left = this.#max;
  }

  get isEmpty(): boolean {
    this.#left = Math.min(this.#max, this.#left + ((this.#clock.now - this.#at) / 1000) * this.#perSecond);
    this.#at = this.#clock.now;
    return this.#left <= 0;
  }

  take(units: number): void {
    this.#left -= units;
  }
}

/** A query of the feed that returns pages without items, in place of those of a large directory. */
interface FeedStandIn {
  readonly pages: number;
}

interface SimulatedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The members of requests that are read here, in DynamoDB's JSON. */
interface Input {
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  readonly ExclusiveStartKey?: { readonly pk: { readonly S: string } };
  readonly Item?: never;
  readonly TransactItems?: readonly { readonly Update?: UpdateInput }[];
}
interface UpdateInput {
  readonly Key: never;
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues: never;
}

class Throttled extends Error {}

const readBinary = (name: string, value: unknown): unknown =>
  name === 'B' ? new Uint8Array(Buffer.from(String(value), 'base64')) : value;
const writeBinary = (name: string, value: unknown): unknown =>
  name === 'B' && value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

/** How long after their stamp a process reads counters again that are not in the index, in milliseconds. */
const COUNTERS_SETTLE_MS = 2000;

interface SimulatedProcess {
  readonly client: DynamoDBDocumentClient;
  /** How many processes it stands for. */
  readonly processes: number;
  /** When it last read counters that are not in the index, by their place in the index. */
  readonly countersReadAt: Map<string, number>;
}
const weight = new AsyncLocalStorage<SimulatedProcess>();

/**
 * Simulates DynamoDB for the data layer of this process: items in memory, a limit per partition, and times. The clients,
 * with their retries, are those of the SDK.
 */
export class SimulatedTable {
  readonly #clock: VirtualClock;
  readonly #burstSeconds: number;
  readonly #budgets = new Map<string, Budget>();
  readonly #items = new Map<string, Item>();
  readonly #byIndexKey = new Map<string, Map<string, Item>>();
  /** The size of the items of a snapshot part, in bytes, in place of their own. */
  partBytes: number | undefined;
  feed: FeedStandIn | undefined;
  /**
   * Whether the index contains counters. Otherwise it has their keys only: a change that does not move them costs nothing in
   * the index, and processes read them from the table for as long as they may change without a move.
   */
  hasCountersInIndex = true;
  /** Number of table partitions. */
  partitions = PARTITIONS;
  /** Whether requests are limited and take time. */
  isLimited = false;
  readUnits = 0;
  writeUnits = 0;
  reads = 0;
  throttledReads = 0;
  writes = 0;
  throttledWrites = 0;

  constructor(clock: VirtualClock, burstSeconds: number) {
    this.#clock = clock;
    this.#burstSeconds = burstSeconds;
  }

  /** Runs the work of a simulated process, with a client of its own. @param processes how many it stands for. */
  async asProcess<T>(processes: number, work: () => Promise<T>): Promise<T> {
    const connection = new DynamoDBClient({
      region: 'local',
      endpoint: 'http://table.simulated',
      credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
      maxAttempts: ATTEMPTS,
      requestHandler: {
        handle: async (request: unknown) => (await this.#handle(request as SimulatedRequest)) as never,
      },
    });
    const client = DynamoDBDocumentClient.from(connection, { marshallOptions: { removeUndefinedValues: true } });
    return await weight.run({ client, processes, countersReadAt: new Map() }, work);
  }

  /** Directs all requests of the data layer to the client of the process that sends them. */
  static intercept(): void {
    const shared = dynamo() as unknown as { send: (...given: readonly unknown[]) => Promise<unknown> };
    shared.send = (...given) => {
      const client = weight.getStore()?.client as unknown as typeof shared;
      return client.send(...given);
    };
  }

  put(item: Item): void {
    const key = `${String(item.pk)} ${String(item.sk)}`;
    const before = this.#items.get(key);
    if (before) this.#byIndexKey.get(String(before.feed_pk))?.delete(key);
    this.#items.set(key, item);
    if (item.feed_pk === undefined) return;
    const partition = this.#byIndexKey.get(String(item.feed_pk)) ?? new Map<string, Item>();
    this.#byIndexKey.set(String(item.feed_pk), partition);
    partition.set(key, item);
  }

  /** All items of the base table. */
  all(): Item[] {
    return [...this.#items.values()];
  }

  async #handle({ headers, body }: SimulatedRequest): Promise<unknown> {
    const operation = String(headers['x-amz-target']).split('.')[1];
    try {
      const input = JSON.parse(
        typeof body === 'string' ? body : Buffer.from(new Uint8Array(body)).toString(),
        readBinary,
      ) as Input;
      return this.#response(200, await this.#respond(operation, input));
    } catch (error) {
      if (!(error instanceof Throttled)) throw error;
      const type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
      return this.#response(400, { __type: type, message: 'The level of throughput was exceeded.' });
    }
  }

  #response(statusCode: number, output: object): unknown {
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return {
      response: { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(output, writeBinary))]) },
    };
  }

  async #respond(operation: string | undefined, input: Input): Promise<object> {
    if (operation === 'Query') return await this.#query(input);
    if (operation === 'PutItem') {
      this.put(unmarshall(input.Item as never));
      return {};
    }
    if (operation === 'TransactWriteItems') return await this.#transact(input);
    throw new Error(`The simulation does not know ${operation}.`);
  }

  async #query(input: Input): Promise<object> {
    const values = input.ExpressionAttributeValues ?? {};
    const partition = values[':p']?.S ?? '';
    if (input.IndexName === 'feed') return await this.#queryFeed(partition, values[':low']?.S, input);
    const items = this.all().filter(({ pk }) => pk === partition);
    const isPart = items.some(({ type }) => type === 'snapshotPart') && this.partBytes !== undefined;
    const bytes = isPart ? Number(this.partBytes) : items.reduce((sum, item) => sum + itemBytes(item), 0);
    const units = Math.max(1, Math.ceil(bytes / 4096)) * (input.ConsistentRead ? 1 : 0.5);
    await this.#read(this.#tablePartitionOf(partition), units, isPart ? PART_MS : SMALL_MS);
    return { Items: items.map((item) => marshall(item)), Count: items.length };
  }

  async #queryFeed(partition: string, after: string | undefined, input: Input): Promise<object> {
    if (after === undefined && this.feed) {
      const page = Number(input.ExclusiveStartKey?.pk.S ?? 0);
      const isFirst = partition === 'FEED';
      await this.#read(`feed ${partition}`, isFirst ? 128 : 0.5, isFirst ? PAGE_MS : SMALL_MS);
      const more = isFirst && page + 1 < this.feed.pages;
      return { Items: [], Count: 0, ...(more && { LastEvaluatedKey: marshall({ pk: String(page + 1) }) }) };
    }
    const items = [...(this.#byIndexKey.get(partition)?.values() ?? [])]
      .filter(({ feed_sk }) => String(feed_sk) > (after ?? ''))
      .toSorted((one, other) => (String(one.feed_sk) < String(other.feed_sk) ? -1 : 1));
    const inIndex = ({ pk, sk, feed_pk, feed_sk, ...rest }: Item): Item =>
      this.hasCountersInIndex ? { pk, sk, feed_pk, feed_sk, ...rest } : { pk, sk, feed_pk, feed_sk };
    const bytes = items.reduce((sum, item) => sum + itemBytes(inIndex(item)), 0);
    await this.#read(`feed ${partition}`, Math.max(1, Math.ceil(bytes / 4096)) / 2, SMALL_MS);
    if (!this.hasCountersInIndex) await this.#readCounters(items);
    return { Items: items.map((item) => marshall(item)), Count: items.length };
  }

  async #readCounters(items: readonly Item[]): Promise<void> {
    const known = weight.getStore()?.countersReadAt ?? new Map<string, number>();
    const unsettled = items.filter(({ feed_sk }) => {
      const place = String(feed_sk);
      const settledAt = Date.parse(place.slice(0, place.indexOf('#'))) + COUNTERS_SETTLE_MS;
      return (known.get(place) ?? 0) < settledAt;
    });
    for (const { feed_sk } of unsettled) known.set(String(feed_sk), Date.now());
    await Promise.all(unsettled.map(({ pk }) => this.#read(this.#tablePartitionOf(String(pk)), 0.5, SMALL_MS)));
  }

  /** Applies updates of counters; other parts of a transaction are not simulated. */
  async #transact({ TransactItems = [] }: Input): Promise<object> {
    for (const { Update } of TransactItems) {
      if (!Update) continue;
      const values = unmarshall(Update.ExpressionAttributeValues) as Item;
      const key = unmarshall(Update.Key) as { pk: string; sk: string };
      const before = this.#items.get(`${key.pk} ${key.sk}`);
      const next: Item = { ...before, ...key };
      for (const [, name = '', value = ''] of Update.UpdateExpression.matchAll(/(#n\d+) = (:v\d+)/g)) {
        next[String(Update.ExpressionAttributeNames[name])] = values[value];
      }
      for (const [, name = '', value = ''] of Update.UpdateExpression.matchAll(/(#n\d+) (:v\d+)/g)) {
        const attribute = String(Update.ExpressionAttributeNames[name]);
        next[attribute] = Number(next[attribute] ?? 0) + Number(values[value]);
      }
      // Every listing has counters from an earlier time, so that the first change moves them too.
      const isInPlace = before?.feed_pk === next.feed_pk && before?.feed_sk === next.feed_sk;
      const units = isInPlace ? Number(this.hasCountersInIndex) : 2;
      if (units > 0) await this.#write(`feed ${String(next.feed_pk)}`, units);
      this.put(next);
    }
    return {};
  }

  #tablePartitionOf(key: string): string {
    return `table ${createHash('sha256').update(key).digest().readUInt32BE() % this.partitions}`;
  }

  async #read(partition: string, units: number, ms: number): Promise<void> {
    if (!this.isLimited) return;
    const processes = weight.getStore()?.processes ?? 1;
    this.reads += processes;
    const budget = this.#budgetOf(`read ${partition}`, READ_UNITS);
    if (budget.isEmpty) {
      this.throttledReads += processes;
      await this.#pass(SMALL_MS);
      throw new Throttled();
    }
    budget.take(units * processes);
    this.readUnits += units * processes;
    await this.#pass(ms);
  }

  async #write(partition: string, units: number): Promise<void> {
    if (!this.isLimited) return;
    this.writes += 1;
    const budget = this.#budgetOf(`write ${partition}`, WRITE_UNITS);
    if (budget.isEmpty) {
      this.throttledWrites += 1;
      await this.#pass(SMALL_MS);
      throw new Throttled();
    }
    budget.take(units);
    this.writeUnits += units;
    await this.#pass(TRANSACTION_MS);
  }

  #budgetOf(name: string, perSecond: number): Budget {
    const budget = this.#budgets.get(name) ?? new Budget(this.#clock, perSecond, this.#burstSeconds);
    this.#budgets.set(name, budget);
    return budget;
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }
}
