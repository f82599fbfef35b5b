import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { feedPartition } from '#data/keys.ts';
import { dynamo } from '#platform/dynamo.ts';

/** Looks at a page of the feed on its way to a reader, and answers what he gets instead. */
export type Tamper = (
  items: readonly Readonly<Record<string, unknown>>[],
) => readonly Readonly<Record<string, unknown>>[];

/** A write that has been stamped and waits to be sent. */
export interface HeldWrite {
  /** Lets it go; answers when it has been done or refused. */
  release(): Promise<void>;
}

interface Sender {
  send(command: unknown): Promise<unknown>;
}

/** Stands between this process and its table: holds writes back, and plays with what the feed says. */
export class RequestGate {
  /** Whether the table is out of reach. */
  closed = false;
  /** Reads of the feed so far. */
  looks = 0;
  /** Items of the feed that were read so far. */
  items = 0;
  tamper: Tamper | undefined;
  #arrived: (() => void) | undefined;
  #held: Promise<void> | undefined;
  readonly #restore: () => void;

  /** Takes over the connection of this process, until `restore`. */
  constructor() {
    const client = dynamo() as unknown as Sender;
    const send = client.send.bind(client);
    this.#restore = () => {
      client.send = send;
    };
    client.send = async (command) => {
      if (this.closed) throw new Error('The table is out of reach.');
      const held = this.#held;
      if (command instanceof TransactWriteCommand && held) {
        this.#held = undefined;
        this.#arrived?.();
        await held;
      }
      const isLook =
        command instanceof QueryCommand && command.input.ExpressionAttributeValues?.[':p'] === feedPartition;
      if (!isLook) return await send(command);
      if (command.input.ExclusiveStartKey === undefined) this.looks += 1;
      const answer = (await send(command)) as { Items?: Record<string, unknown>[] };
      this.items += answer.Items?.length ?? 0;
      return { ...answer, Items: this.tamper?.(answer.Items ?? []) ?? answer.Items };
    };
  }

  /** Begins a write and keeps it from being sent once it is stamped. */
  async hold(write: () => Promise<void>): Promise<HeldWrite> {
    const arrival = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    this.#arrived = arrival.resolve;
    this.#held = release.promise;
    const done = write();
    done.catch(() => undefined);
    await Promise.race([arrival.promise, done.catch(() => undefined)]);
    this.#held = undefined;
    return {
      release: async () => {
        release.resolve();
        await done;
      },
    };
  }

  /** Gives the connection back. */
  restore(): void {
    this.#restore();
  }
}
