import type { VoteCaseState, VoteSignal } from '#contract/vote-cases.ts';
import { DAY_MS, dayOf } from './days.ts';

/** A vote that counts, with what its signals need. */
export interface ReviewedVote {
  readonly user_id: string;
  /** ISO 8601, like all times. */
  readonly voted_at: string;
  readonly joined_at: string;
  /** The hash of the network with the salt of the day; null when the address is unknown. */
  readonly network: string | null;
}

export interface VoteCaseRecord {
  readonly id: string;
  readonly project_id: string;
  readonly state: VoteCaseState;
  readonly opened_at: string;
  readonly decided_at: string | null;
  readonly note: string | null;
  readonly votes: number;
  readonly new_accounts: number;
  readonly same_network: number;
  /** Increases with every write. */
  readonly version: number;
}

/** A vote of a case. */
export interface CaseVote {
  readonly user_id: string;
  readonly voted_at: string;
  readonly joined_at: string;
  readonly signals: readonly VoteSignal[];
}

const WINDOW_MS = 60 * 60_000;
const NEW_ACCOUNT_MS = DAY_MS;
const NEW_ACCOUNTS_MIN = 8;
const SAME_NETWORK_MIN = 5;

/** How long votes are reviewed, in milliseconds. */
export const REVIEWED_MS = 2 * DAY_MS;
/** Fewer votes have no signal. */
export const CONSPICUOUS_MIN = Math.min(NEW_ACCOUNTS_MIN, SAME_NETWORK_MIN);

const isFromNewAccount = ({ voted_at, joined_at }: ReviewedVote): boolean =>
  Date.parse(voted_at) - Date.parse(joined_at) < NEW_ACCOUNT_MS;

/** The votes of new accounts in the 60 minutes from any vote on in which there are enough of them. */
const fromNewAccounts = (votes: readonly ReviewedVote[]): ReviewedVote[] => {
  const times = votes.map(({ voted_at }) => Date.parse(voted_at));
  const isNew = votes.map(isFromNewAccount);
  const found = new Set<ReviewedVote>();
  let [end, newInWindow, added] = [0, 0, 0];
  for (const [start, time] of times.entries()) {
    for (; end < votes.length && (times[end] as number) <= time + WINDOW_MS; end += 1) if (isNew[end]) newInWindow += 1;
    if (newInWindow >= NEW_ACCOUNTS_MIN && 2 * newInWindow >= end - start) {
      for (added = Math.max(added, start); added < end; added += 1) {
        const vote = votes[added];
        if (vote && isNew[added]) found.add(vote);
      }
    }
    if (isNew[start]) newInWindow -= 1;
  }
  return [...found];
};

const fromSameNetwork = (votes: readonly ReviewedVote[]): ReviewedVote[] =>
  [...Map.groupBy(votes, ({ network, voted_at }) => (network === null ? null : `${dayOf(voted_at)} ${network}`))]
    .filter(([network, same]) => network !== null && same.length >= SAME_NETWORK_MIN)
    .flatMap(([, same]) => same);

/** The signals of the votes of a listing, by user; votes without one are absent. */
export const signalsOf = (votes: readonly ReviewedVote[]): ReadonlyMap<string, readonly VoteSignal[]> => {
  const byTime = votes.toSorted((one, other) => (one.voted_at < other.voted_at ? -1 : 1));
  const signals = new Map<string, VoteSignal[]>();
  const add = (signal: VoteSignal, named: readonly ReviewedVote[]): void => {
    for (const { user_id } of named) signals.set(user_id, [...(signals.get(user_id) ?? []), signal]);
  };
  add('new_accounts', fromNewAccounts(byTime));
  add('same_network', fromSameNetwork(byTime));
  return signals;
};

/** What a signal says about the votes that have it. */
export const explanationOf = (signal: VoteSignal, count: number): string =>
  signal === 'new_accounts'
    ? `${count} votes came from accounts younger than a day, at least ${NEW_ACCOUNTS_MIN} of them within 60 minutes and at least half of the votes then.`
    : `${count} votes came from networks with at least ${SAME_NETWORK_MIN} votes on one day.`;
