import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { feedPartitions } from '#data/keys.ts';
import { dynamo } from '#platform/dynamo.ts';

/** Replaces a page of the feed on its way to a reader. */
export type Tamper = (
  items: readonly Readonly<Record<string, unknown>>[],
) => readonly Readonly<Record<string, unknown>>[];

/** A write that is stamped but not sent yet. */
export interface HeldWrite {
  /** Sends it and waits for its result. */
  release(): Promise<void>;
}

interface Sender {
  send(command: unknown): Promise<unknown>;
}

/** Intercepts the requests of this process to its table: delays writes and tampers with pages of the feed. */
export class RequestBarrier {
  /** Whether the table is unreachable. */
  closed = false;
  /** The number of feed reads so far, each of one or more pages. */
  refreshes = 0;
  /** The number of queries of feed partitions so far. */
  queries = 0;
  /** The number of feed items read so far. */
  items = 0;
  tamper: Tamper | undefined;
  #arrived: (() => void) | undefined;
  #delayed: Promise<void> | undefined;
  readonly #restore: () => void;

  /** Intercepts until `restore`. */
  constructor() {
    const client = dynamo() as unknown as Sender;
    const send = client.send.bind(client);
    this.#restore = () => {
      client.send = send;
    };
    client.send = async (command) => {
      if (this.closed) throw new Error('The table is unreachable.');
      const held = this.#delayed;
      if (command instanceof TransactWriteCommand && held) {
        this.#delayed = undefined;
        this.#arrived?.();
        await held;
      }
      const shard =
        command instanceof QueryCommand
          ? feedPartitions.indexOf(String(command.input.ExpressionAttributeValues?.[':p']))
          : -1;
      if (shard < 0) return await send(command);
      this.queries += 1;
      // Every refresh reads the first partition.
      if (shard === 0 && (command as QueryCommand).input.ExclusiveStartKey === undefined) this.refreshes += 1;
      const response = (await send(command)) as { Items?: Record<string, unknown>[] };
      this.items += response.Items?.length ?? 0;
      return { ...response, Items: this.tamper?.(response.Items ?? []) ?? response.Items };
    };
  }

  /** Starts a write and delays its transaction after it is stamped. */
  async hold(write: () => Promise<void>): Promise<HeldWrite> {
    const arrival = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    this.#arrived = arrival.resolve;
    this.#delayed = release.promise;
    const done = write();
    done.catch(() => undefined);
    await Promise.race([arrival.promise, done.catch(() => undefined)]);
    this.#delayed = undefined;
    return {
      release: async () => {
        release.resolve();
        await done;
      },
    };
  }

  restore(): void {
    this.#restore();
  }
}
