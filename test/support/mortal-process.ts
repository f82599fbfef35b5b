import { AsyncLocalStorage } from 'node:async_hooks';
import { dynamo } from '#platform/dynamo.ts';
import type { Random } from '#test/catalog/random.ts';

/** The process ended. */
class Died extends Error {}

type Send = (command: object, ...more: unknown[]) => Promise<unknown>;

/** A process that dies at a write. */
interface Life {
  /** The writes before its death. */
  left: number;
  /** Whether it dies after the write rather than before it. */
  readonly isAfter: boolean;
  readonly inFlight: Set<Promise<unknown>>;
}

const isWrite = (command: object): boolean =>
  /^(?:Transact|Batch)?(?:Write|Put|Update|Delete)/.test(command.constructor.name);

const lives = new AsyncLocalStorage<Life>();
let isWatched = false;

/** Lets no write of a dead process through, also of work whose result is no longer awaited. */
const watchWrites = (): void => {
  if (isWatched) return;
  isWatched = true;
  const client = dynamo() as unknown as { send: Send };
  const send = client.send.bind(client);
  const write = async (life: Life, command: object, more: readonly unknown[]): Promise<unknown> => {
    life.left -= 1;
    if (life.left > -1) return await send(command, ...more);
    if (life.left === -1 && life.isAfter) await send(command, ...more);
    throw new Died();
  };
  client.send = (command, ...more) => {
    const life = lives.getStore();
    if (!life || !isWrite(command)) return send(command, ...more);
    const written = write(life, command, more);
    life.inFlight.add(written);
    return written;
  };
};

/** Runs work in a process that dies at one of its next writes, before or after the write itself, unless it ends before. */
export const inDyingProcess = async <T>(random: Random, writes: number, work: () => Promise<T>): Promise<T> => {
  watchWrites();
  const life: Life = { left: random.below(writes), isAfter: random.chance(0.5), inFlight: new Set() };
  try {
    return await lives.run(life, work);
  } finally {
    // What it sent before its death arrives before anything that follows.
    await Promise.allSettled(life.inFlight);
  }
};
