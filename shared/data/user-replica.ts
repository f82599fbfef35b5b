import { fold } from '#catalog/folded-text.ts';
import { liftExpiredBan, type UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { singleFlight } from '#platform/single-flight.ts';
import { changedUsersPartition, usersPartition } from './keys.ts';
import { collectionPages } from './read.ts';
import { userOf } from './users.ts';

export interface UserFilters {
  readonly role?: UserRecord['role'] | 'banned' | undefined;
  /** A substring of name or address, without regard to case and accents. */
  readonly q?: string | undefined;
}

interface Entry {
  readonly user: UserRecord;
  /** Folded name and address, separated by a NUL. */
  readonly text: string;
}

const newestFirst = (a: Entry, b: Entry): number => {
  if (a.user.joined_at !== b.user.joined_at) return a.user.joined_at < b.user.joined_at ? 1 : -1;
  return a.user.id < b.user.id ? 1 : -1;
};

/**
 * An in-memory replica of all users, for the administrators' list: the table cannot return exact totals and substring
 * matches without reading all users in each request.
 */
class UserReplica {
  readonly #entries = new Map<string, Entry>();
  readonly #versions = new Map<string, number>();
  #sorted: readonly Entry[] | undefined;

  /** Applies a state of a user. States may arrive in any order and more than once. */
  apply(user: UserRecord): void {
    if ((this.#versions.get(user.id) ?? -1) >= user.version) return;
    this.#versions.set(user.id, user.version);
    this.#sorted = undefined;
    if (user.erased_at !== null) this.#entries.delete(user.id);
    else this.#entries.set(user.id, { user, text: `${fold(user.name ?? '')}\0${fold(user.email ?? '')}` });
  }

  /** Users that match the filters, newest first. */
  select({ role, q }: UserFilters): readonly UserRecord[] {
    this.#sorted ??= [...this.#entries.values()].sort(newestFirst);
    const wanted = fold(q ?? '');
    const at = now();
    return this.#sorted
      .filter(({ text }) => text.includes(wanted))
      .map(({ user }) => liftExpiredBan(user, at))
      .filter((user) => (role === 'banned' ? user.is_banned : role === undefined || user.role === role));
  }
}

// Changes are stamped shortly before they are committed, writers' clocks differ, and a write may be retried for
// seconds: each refresh starts this long before the newest change seen. Applying a change again has no effect.
const OVERLAP_MS = 30_000;

const replica = new UserReplica();
let watermark: string | undefined;
/** When the last refresh began, in milliseconds of the monotonic clock. */
let refreshedAt = Number.NEGATIVE_INFINITY;

const refresh = singleFlight(async (): Promise<void> => {
  const beganAt = performance.now();
  // The clock was set back: the next changes get earlier stamps.
  if (watermark !== undefined && Date.parse(watermark) > Date.now() + OVERLAP_MS) watermark = undefined;
  if (watermark === undefined) {
    const startedAt = new Date().toISOString();
    for await (const items of collectionPages({ partition: usersPartition, index: 'collection' })) {
      for (const item of items) replica.apply(userOf(item));
    }
    watermark = startedAt;
  }
  const after = new Date(Date.parse(watermark) - OVERLAP_MS).toISOString();
  for await (const items of collectionPages({ partition: changedUsersPartition, index: 'feed', after })) {
    for (const item of items) replica.apply(userOf(item));
    const seen = String(items.at(-1)?.feed_sk).slice(0, after.length);
    // A writer's clock may run ahead; a watermark in the future would skip the changes of others.
    const reachable = seen < new Date().toISOString() ? seen : new Date().toISOString();
    if (reachable > watermark) watermark = reachable;
  }
  refreshedAt = beganAt;
});

/** The replica, refreshed after this call began; concurrent calls share a refresh. */
export const userReplica = async (): Promise<UserReplica> => {
  const calledAt = performance.now();
  while (refreshedAt < calledAt) {
    await refresh();
  }
  return replica;
};
