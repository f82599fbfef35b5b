import { DRAFTS_MAX, type DraftRecord, expiryOf } from '#model/draft.ts';
import { now } from '#platform/clock.ts';
import { conflict } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import { draftKey, draftListKey, draftPrefix, draftsPartition, type Key } from './keys.ts';
import { collectionPages, findItem, type Item, recordOf, wholeCollection } from './read.ts';
import { userNotErased } from './users.ts';
import { absent, deleteItem, every, exists, is, transact, type Write } from './write.ts';

/** The draft or the list of drafts was changed since it was read. */
class DraftsChanged extends ConflictError {
  override readonly name = 'DraftsChanged';
}

const ttlOf = (draft: DraftRecord): number => Math.floor(Date.parse(expiryOf(draft)) / 1000);

const draftItem = (draft: DraftRecord): Item & Key => ({
  ...draftKey(draft.user_id, draft.id),
  type: 'draft',
  ttl: ttlOf(draft),
  ...draft,
});

// The table deletes expired items with a delay of hours.
const isCurrent = (draft: DraftRecord): boolean => expiryOf(draft) > now();

const DRAFT_ID = /^dft_[0-9A-HJKMNP-TV-Z]{26}$/;

/** A user's draft, read consistently. */
export const findDraft = async (userId: string, draftId: string): Promise<DraftRecord | undefined> => {
  const item = DRAFT_ID.test(draftId) ? await findItem(draftKey(userId, draftId)) : undefined;
  const draft = item && recordOf<DraftRecord>(item);
  return draft && isCurrent(draft) ? draft : undefined;
};

/** All drafts of a user, the last changed first. */
export const draftsOf = async (userId: string): Promise<DraftRecord[]> => {
  const items = await wholeCollection({ partition: draftsPartition(userId), prefix: draftPrefix });
  const position = ({ updated_at, id }: DraftRecord): string => `${updated_at}#${id}`;
  return items
    .map(recordOf<DraftRecord>)
    .filter(isCurrent)
    .toSorted((one, other) => (position(one) < position(other) ? 1 : -1));
};

/**
 * Stores a new draft.
 * @throws 409 when the user has `DRAFTS_MAX` already, 401 when the user was erased concurrently; {ConflictError} when a draft
 * was inserted concurrently.
 */
export const insertDraft = async (draft: DraftRecord): Promise<void> => {
  const list = await findItem(draftListKey(draft.user_id));
  if ((await draftsOf(draft.user_id)).length >= DRAFTS_MAX) {
    throw conflict('LIMIT_REACHED', `You have ${DRAFTS_MAX} drafts already.`);
  }
  await transact([
    { put: draftItem(draft), when: absent },
    {
      update: draftListKey(draft.user_id),
      change: { set: { type: 'draftList', ttl: ttlOf(draft) }, add: { insertions: 1 } },
      when: list ? is('insertions', Number(list.insertions)) : absent,
      orElse: () => new DraftsChanged('A draft was inserted concurrently.'),
    },
    userNotErased(draft.user_id),
  ]);
};

/** @throws {ConflictError} when the draft was changed or deleted since it was read. */
export const replaceDraft = async (previous: DraftRecord, next: DraftRecord): Promise<void> => {
  await transact([
    {
      put: draftItem(next),
      when: every(exists, is('version', previous.version)),
      orElse: () => new DraftsChanged(`The draft ${next.id} was changed concurrently.`),
    },
  ]);
};

/** The deletion of a draft in the transaction of the project that it became. */
export const draftDeletion = (
  userId: string,
  draftId: string,
  condition: Pick<Write, 'when' | 'orElse'> = {},
): Write => ({ delete: draftKey(userId, draftId), ...condition });

/** @returns whether the draft existed. */
export const deleteDraft = (userId: string, draftId: string): Promise<boolean> =>
  deleteItem(draftKey(userId, draftId), exists);

/** The ids of all drafts of a user, for the erasure; expired ones that still exist are included. */
export async function* draftPages(userId: string): AsyncGenerator<readonly string[]> {
  const range = { partition: draftsPartition(userId), prefix: draftPrefix, only: ['id'] };
  for await (const items of collectionPages(range)) yield items.map(({ id }) => String(id));
}
