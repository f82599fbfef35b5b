import type { ClaimMethod, ClaimState, LastCheck } from '#contract/claims.ts';
import { DAY_MS } from './days.ts';
import type { ProjectRecord } from './project.ts';

/** The state as stored: claims expire by time alone. */
export type StoredClaimState = Exclude<ClaimState, 'expired'>;

export interface ClaimRecord {
  readonly id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly method: ClaimMethod;
  readonly state: StoredClaimState;
  /** The host of the listing's URL, as `canonicalHost` returns it, when the claim was made. */
  readonly host: string;
  /** What has to be published; null for methods without a check. */
  readonly token: string | null;
  readonly message: string | null;
  readonly last_check: LastCheck | null;
  /** The `claimed_at` of the project when the claim was made: a claim that was applied since ends this one. */
  readonly project_claimed_at: string | null;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly reason: string | null;
  /** Increases with every write. */
  readonly version: number;
}

/** How many open claims a user can have. */
export const OPEN_CLAIMS_MAX = 5;

const LIFETIME_MS = 14 * DAY_MS;

export const claimExpiryOf = ({ created_at }: Pick<ClaimRecord, 'created_at'>): string =>
  new Date(Date.parse(created_at) + LIFETIME_MS).toISOString();

/** Claims that were made up to this time have expired. @param at ISO 8601. */
export const expiredUpTo = (at: string): string => new Date(Date.parse(at) - LIFETIME_MS).toISOString();

/** The stored states of claims without a decision. */
export const undecidedStates = ['open', 'proven'] as const satisfies readonly StoredClaimState[];

const isUndecided = ({ state }: Pick<ClaimRecord, 'state'>): boolean => state === 'open' || state === 'proven';

/** The state at a time, ISO 8601. */
export const claimStateAt = (claim: ClaimRecord, at: string): ClaimState =>
  isUndecided(claim) && claimExpiryOf(claim) <= at ? 'expired' : claim.state;

/** Whether a claim waits for its proof or for a decision. @param at ISO 8601. */
export const isOpenClaim = (claim: ClaimRecord, at: string): boolean => isUndecided(claim) && claimExpiryOf(claim) > at;

/** Whether another claim of the project was applied after this one was made. */
export const isOvertaken = (claim: ClaimRecord, { claimed_at }: Pick<ProjectRecord, 'claimed_at'>): boolean =>
  claim.project_claimed_at !== claimed_at;

/** The name and content of a proof in the page of a listing, and its path as a file of the host. */
export const PROOF_META = 'directory-verification';
export const PROOF_PATH = '/.well-known/directory-verification.txt';

/** The name of the TXT record with the proof. */
export const proofRecordOf = (host: string): string => `_directory-challenge.${host}`;

export const proofOf = ({ method, host, token }: ClaimRecord): { name: string; value: string } | null => {
  if (token === null) return null;
  return { name: method === 'dns' ? proofRecordOf(host) : PROOF_META, value: token };
};
