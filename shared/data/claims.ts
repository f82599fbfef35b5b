import type { ClaimState } from '#contract/claims.ts';
import {
  type ClaimRecord,
  expiredUpTo,
  isOpenClaim,
  OPEN_CLAIMS_MAX,
  type StoredClaimState,
  undecidedStates,
} from '#model/claim.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { conflict } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import {
  claimIdKey,
  claimKey,
  claimStatePartition,
  claimsPartition,
  claimsUpTo,
  inClaimState,
  inClaims,
  inOwnerCollection,
  type Key,
  openClaimsKey,
  ownerPartition,
  ownerPrefix,
  projectKey,
  projectPartition,
  projectPrefix,
} from './keys.ts';
import {
  collectionPages,
  countCollection,
  countRange,
  findItem,
  findRecord,
  findRecords,
  type Item,
  itemsOfPartitions,
  keyOf,
  pageOfCollection,
} from './read.ts';
import { userNotErased } from './users.ts';
import { absent, deleteItem, deleteItems, every, exists, is, lacks, transact, type Write } from './write.ts';

// A claim is in the partition of its project, so that all of them are found there consistently. A pointer finds it by id and
// lists it among all claims. Claims expire by time alone: their places in the index keep the state before.

/** The claim, the project or the open claims of the user were changed since they were read. */
class ClaimChanged extends ConflictError {
  override readonly name = 'ClaimChanged';
}

const changedConcurrently = () => new ClaimChanged('The claim or its project was changed concurrently.');

const claimItem = (claim: ClaimRecord): Item & Key => ({
  ...claimKey(claim.project_id, claim.id),
  ...inOwnerCollection(claim.user_id, 'CLAIM', claim.id),
  ...inClaimState(claim.state, claim.created_at, claim.id),
  type: 'claim',
  ...claim,
});

export const findClaimOf = (projectId: string, claimId: string) =>
  findRecord<ClaimRecord>(claimKey(projectId, claimId));

export const findClaim = async (claimId: string): Promise<ClaimRecord | undefined> => {
  const pointer = await findItem(claimIdKey(claimId));
  return pointer && (await findClaimOf(String(pointer.project_id), claimId));
};

/**
 * The writes of a new claim. They fail with a conflict when the user makes another claim concurrently.
 * @throws 409 when the user has an open claim of the project, or `OPEN_CLAIMS_MAX` open ones.
 */
export const claimInsertion = async (claim: ClaimRecord): Promise<Write[]> => {
  const list = await findItem(openClaimsKey(claim.user_id));
  const keys = (list?.keys ?? []) as readonly Key[];
  const open = (await findRecords<ClaimRecord>(keys)).filter((one) => isOpenClaim(one, now()));
  if (open.some(({ project_id }) => project_id === claim.project_id)) {
    throw conflict('CLAIM_OPEN', 'You have claimed this listing already.');
  }
  if (open.length >= OPEN_CLAIMS_MAX) {
    throw conflict('LIMIT_REACHED', `You have ${OPEN_CLAIMS_MAX} open claims already.`);
  }
  const next = [...open, claim].map(({ project_id, id }) => claimKey(project_id, id));
  return [
    { put: claimItem(claim), when: absent },
    { put: { ...claimIdKey(claim.id), ...inClaims(claim.id), type: 'claimId', project_id: claim.project_id } },
    {
      put: {
        ...openClaimsKey(claim.user_id),
        type: 'openClaims',
        keys: next,
        insertions: Number(list?.insertions ?? 0) + 1,
      },
      when: list ? is('insertions', Number(list.insertions)) : absent,
      orElse: changedConcurrently,
    },
  ];
};

/**
 * Stores a claim of a project that is live and has the owner that was read.
 * @throws 409 as `claimInsertion`; 401 when the user was erased.
 */
export const insertClaim = async (
  claim: ClaimRecord,
  { id, owner_id }: ProjectRecord,
  others: readonly Write[],
): Promise<void> => {
  const isAsRead = every(is('owner_id', owner_id), is('status', 'live'), lacks('deleted_at'));
  await transact([
    ...(await claimInsertion(claim)),
    { check: projectKey(id), when: isAsRead, orElse: changedConcurrently },
    userNotErased(claim.user_id),
    ...others,
  ]);
};

/** The write of a claim's next state. It fails with a conflict when the claim was changed since it was read. */
export const claimReplacement = (previous: ClaimRecord, next: ClaimRecord): Write => ({
  put: claimItem({ ...next, version: previous.version + 1 }),
  when: is('version', previous.version),
  orElse: changedConcurrently,
});

/** The claims of a project without a decision, expired ones too; consistent. */
export async function* undecidedClaimsOf(projectId: string): AsyncGenerator<ClaimRecord> {
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.claims };
  for await (const items of collectionPages({ ...range, only: ['pk', 'sk', 'state'] })) {
    const undecided = items.filter(({ state }) => undecidedStates.some((one) => one === state));
    yield* await findRecords<ClaimRecord>(undecided.map(keyOf));
  }
}

interface ClaimPage {
  readonly claims: ClaimRecord[];
  readonly total: number;
}

/** A page of a user's claims, newest first, with the exact total. */
export const pageOfClaimsBy = async (userId: string, skip: number, count: number): Promise<ClaimPage> => {
  const range = { partition: ownerPartition(userId), prefix: ownerPrefix.claims, index: 'collection' } as const;
  const total = await countCollection(range.partition, range.prefix, range.index);
  const newest = { ...range, newestFirst: true, only: ['pk', 'sk', 'collection_sk'] };
  const items = await pageOfCollection(newest, skip, count, total);
  return { claims: await findRecords(items.map(keyOf)), total };
};

const inState = (state: StoredClaimState) => ({ partition: claimStatePartition(state), index: 'feed' }) as const;

const countNotExpired = (state: StoredClaimState): Promise<number> =>
  countRange({ ...inState(state), after: claimsUpTo(expiredUpTo(now())) });

/** The number of claims that wait for their proof or for a decision. */
export const countOpenClaims = async (): Promise<number> => {
  const counts = await Promise.all(undecidedStates.map(countNotExpired));
  return counts.reduce((sum, one) => sum + one, 0);
};

const keysOnly = { newestFirst: true, only: ['pk', 'sk', 'feed_sk'] } as const;

/** The keys of expired claims, which have two stored states, newest first. */
const expiredKeys = async (skip: number, count: number): Promise<{ keys: Key[]; total: number }> => {
  const partitions = undecidedStates.map(claimStatePartition);
  const range = { ...keysOnly, index: 'feed', before: claimsUpTo(expiredUpTo(now())) } as const;
  const items: Item[] = [];
  const stored = await Promise.all(partitions.map((partition) => countRange({ partition, index: 'feed' })));
  const total = stored.reduce((sum, one) => sum + one, 0) - (await countOpenClaims());
  for await (const item of itemsOfPartitions(partitions, range, skip + count)) {
    if (items.push(item) === skip + count) break;
  }
  return { keys: items.slice(skip).map(keyOf), total };
};

const keysIn = async (state: ClaimState | undefined, skip: number, count: number) => {
  if (state === 'expired') return await expiredKeys(skip, count);
  if (state === undefined) {
    const all = { partition: claimsPartition, index: 'feed' } as const;
    const total = await countCollection(all.partition, undefined, all.index);
    const pointers = await pageOfCollection({ ...all, newestFirst: true }, skip, count, total);
    return { keys: pointers.map((pointer) => claimKey(String(pointer.project_id), String(pointer.feed_sk))), total };
  }
  const isUndecided = undecidedStates.some((one) => one === state);
  const total = await (isUndecided ? countNotExpired(state) : countRange(inState(state)));
  if (skip >= total) return { keys: [], total };
  // Counted from the newest: behind those of the page there can be expired ones.
  const items = await pageOfCollection({ ...keysOnly, ...inState(state) }, skip, Math.min(count, total - skip));
  return { keys: items.map(keyOf), total };
};

/** A page of claims in a state, or of all, newest first, with the exact total. */
export const pageOfClaims = async (state: ClaimState | undefined, skip: number, count: number): Promise<ClaimPage> => {
  const { keys, total } = await keysIn(state, skip, count);
  return { claims: await findRecords(keys), total };
};

/** Deletes a claim of an erased user. @returns false when there was none. */
export const deleteClaim = async (claimId: string): Promise<boolean> => {
  const claim = await findClaim(claimId);
  if (!claim) return false;
  await transact([{ delete: claimKey(claim.project_id, claimId) }, { delete: claimIdKey(claimId) }]);
  return true;
};

/** Deletes the list of an erased user's last claims. @returns false when there was none. */
export const deleteOpenClaims = (userId: string): Promise<boolean> => deleteItem(openClaimsKey(userId), exists);

/** Deletes the claims of a purged project and their pointers. @returns how many claims. */
export const deleteClaims = async (projectId: string): Promise<number> => {
  let removed = 0;
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.claims, only: ['id', 'pk', 'sk'] };
  for await (const items of collectionPages(range)) {
    // Pointers first: if the process ends in between, the next run still finds them through the claims.
    await deleteItems(items.map(({ id }) => claimIdKey(String(id))));
    await deleteItems(items.map(keyOf));
    removed += items.length;
  }
  return removed;
};
