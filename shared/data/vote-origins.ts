import { createHmac } from 'node:crypto';
import type { VoteSignal } from '#contract/vote-cases.ts';
import { DAY_SECONDS, dayOf, endOfDaySeconds } from '#model/days.ts';
import type { ReviewedVote } from '#model/vote-case.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { DaySalt } from './day-salt.ts';
import {
  inRecentVotes,
  projectPartition,
  projectPrefix,
  recentVotePartitions,
  recentVotesFrom,
  voteOriginKey,
  voteSaltKey,
} from './keys.ts';
import { collectionPages, type Item, wholeCollection } from './read.ts';
import type { Write } from './write.ts';

// What the review of votes needs of a vote is an item of its own, because it is kept for a week only. It is written and deleted with
// the vote, so it exists for votes that are set and no others.

/** How long an origin is kept, in seconds. */
const KEPT_SECONDS = 7 * DAY_SECONDS;

/** Late votes of a day, of processes whose clocks differ, still find its salt. */
const SALT_GRACE_SECONDS = 3600;

const salt = new DaySalt(voteSaltKey, (day) => endOfDaySeconds(day) + SALT_GRACE_SECONDS);

/** Where a vote comes from. */
export interface Voter {
  readonly joinedAt: string;
  /** The address, of IPv6 its first 64 bits; undefined when it is unknown. */
  readonly network: string | undefined;
}

/** The case that a vote belongs to. */
export interface CaseMembership {
  readonly case_id: string;
  /** As stored: names joined by commas. */
  readonly signals: string;
}

export interface VoteOrigin extends ReviewedVote {
  readonly project_id: string;
  readonly case_id: string | null;
  readonly signals: readonly VoteSignal[];
}

/** The hash of a network: equal on one day, unrelated on any other. The salt is stored only in the table. */
export const networkHash = async (network: string, at: string): Promise<string> =>
  createHmac('sha256', await salt.of(dayOf(at)))
    .update(network)
    .digest('base64url');

/** @param network see `networkHash`. */
export const originInsertion = (
  projectId: string,
  userId: string,
  {
    votedAt,
    joinedAt,
    network,
    membership,
  }: {
    readonly votedAt: string;
    readonly joinedAt: string;
    readonly network: string | null;
    readonly membership: CaseMembership | undefined;
  },
): Write => ({
  put: {
    ...voteOriginKey(projectId, userId),
    ...inRecentVotes(votedAt, projectId, userId),
    type: 'voteOrigin',
    project_id: projectId,
    user_id: userId,
    voted_at: votedAt,
    joined_at: joinedAt,
    network,
    ...membership,
    ttl: secondsFromNow(KEPT_SECONDS),
  },
});

export const originDeletion = (projectId: string, userId: string): Write => ({
  delete: voteOriginKey(projectId, userId),
});

const originOf = (item: Item): VoteOrigin => ({
  project_id: String(item.project_id),
  user_id: String(item.user_id),
  voted_at: String(item.voted_at),
  joined_at: String(item.joined_at),
  network: (item.network ?? null) as string | null,
  case_id: (item.case_id ?? null) as string | null,
  signals: signalsIn(item.signals),
});

/** The names in the stored form of signals. */
export const signalsIn = (stored: unknown): VoteSignal[] =>
  typeof stored === 'string' && stored !== '' ? (stored.split(',') as VoteSignal[]) : [];

/** The ids of the projects with votes since a time, each as often as it has such votes; from the index. */
export const votedSince = async (since: string): Promise<string[]> => {
  const ranges = recentVotePartitions.map((partition) => ({
    partition,
    index: 'feed' as const,
    after: recentVotesFrom(since),
    only: ['project_id', 'feed_sk'],
  }));
  const ids: string[] = [];
  for (const range of ranges)
    for await (const items of collectionPages(range)) ids.push(...items.map(({ project_id }) => String(project_id)));
  return ids;
};

/** The origins of the votes of a project since a time; consistent. */
export const originsOf = async (projectId: string, since: string): Promise<VoteOrigin[]> => {
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.voteOrigins };
  return (await wholeCollection(range)).map(originOf).filter(({ voted_at }) => voted_at > since);
};
