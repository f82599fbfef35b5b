import { fold } from '#catalog/fold.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { changedUsersPartition, usersPartition } from './keys.ts';
import { collectionPages } from './read.ts';
import { userOf } from './user-items.ts';

/**
 * This process's replica of all users, for the administrators' list: exact totals and substrings cannot be had from the
 * table without reading all of it for each request. Loaded once, it follows what has changed since.
 */

/** Which users are listed. */
export interface UserFilters {
  readonly role?: UserRecord['role'] | 'banned' | undefined;
  /** Folded and matched as a substring of name and address. */
  readonly q?: string | undefined;
}

interface Entry {
  readonly user: UserRecord;
  /** Name and address as they are searched, parted by what no text has. */
  readonly text: string;
}

const newestFirst = (a: Entry, b: Entry): number => {
  if (a.user.joined_at !== b.user.joined_at) return a.user.joined_at < b.user.joined_at ? 1 : -1;
  return a.user.id < b.user.id ? 1 : -1;
};

/** All users in memory. Pure: what it knows is what it was told. */
class UserRegister {
  readonly #entries = new Map<string, Entry>();
  readonly #versions = new Map<string, number>();
  #sorted: readonly Entry[] | undefined;

  /** Takes the state of a user, in any order; one that is older than what is known makes no difference. */
  take(user: UserRecord): void {
    if ((this.#versions.get(user.id) ?? -1) >= user.version) return;
    this.#versions.set(user.id, user.version);
    this.#sorted = undefined;
    if (user.erased_at !== null) this.#entries.delete(user.id);
    else this.#entries.set(user.id, { user, text: `${fold(user.name ?? '')}\0${fold(user.email ?? '')}` });
  }

  /** Users that pass the filters, newest first. */
  select({ role, q }: UserFilters): readonly UserRecord[] {
    this.#sorted ??= [...this.#entries.values()].sort(newestFirst);
    const wanted = fold(q ?? '');
    return this.#sorted
      .filter(({ user, text }) => {
        if (role === 'banned' ? !user.is_banned : role !== undefined && user.role !== role) return false;
        return text.includes(wanted);
      })
      .map(({ user }) => user);
  }
}

// Changes are stamped just before they are committed, writers' clocks differ, and a write may be tried for some seconds:
// each look starts this much before the newest change that was seen. What is found again makes no difference.
const OVERLAP_MS = 30_000;

const register = new UserRegister();
let watermark: string | undefined;
/** When the last look began, in milliseconds of the monotonic clock. */
let lookedAt = Number.NEGATIVE_INFINITY;
let looking: Promise<void> | undefined;

const look = async (): Promise<void> => {
  const beganAt = performance.now();
  if (watermark === undefined) {
    const startedAt = new Date().toISOString();
    for await (const items of collectionPages({ partition: usersPartition, index: 'collection' })) {
      for (const item of items) register.take(userOf(item));
    }
    watermark = startedAt;
  }
  const after = new Date(Date.parse(watermark) - OVERLAP_MS).toISOString();
  for await (const items of collectionPages({ partition: changedUsersPartition, index: 'feed', after })) {
    for (const item of items) register.take(userOf(item));
    const seen = String(items.at(-1)?.feed_sk).slice(0, after.length);
    // A writer whose clock runs ahead must not make us pass over what others write until then.
    const reachable = seen < new Date().toISOString() ? seen : new Date().toISOString();
    if (reachable > watermark) watermark = reachable;
  }
  lookedAt = beganAt;
};

/** All users, not older than this call; requests at the same time share one look at what has changed. */
export const users = async (): Promise<UserRegister> => {
  const askedAt = performance.now();
  while (lookedAt < askedAt) {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    await looking;
  }
  return register;
};
