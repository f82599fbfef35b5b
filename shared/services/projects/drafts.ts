import type { Draft, DraftContent } from '#contract/drafts.ts';
import { parsed } from '#contract/fields.ts';
import { Submission } from '#contract/projects.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteDraft, draftsOf, findDraft, insertDraft, replaceDraft } from '#data/drafts.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { type DraftRecord, expiryOf } from '#model/draft.ts';
import { mustMatch } from '#model/entity-tag.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { createOnce } from '#services/create-once.ts';
import { AppError, invalidField, invalidFields, mustExist, notFound } from '#shared/errors.ts';
import { checkContent } from './submit.ts';

type Problems = Draft['problems'];

/** The fields that conflicts are about. */
const conflictingFields = { SLUG_TAKEN: 'slug', DUPLICATE_URL: 'url' } as const;

const detailsOf = ({ extra }: AppError): Problems => extra.details as Problems;

/** What a submission of the content would be rejected for now. */
const problemsOf = async (content: unknown, user: UserRecord): Promise<Problems> => {
  const result = parsed(Submission, content);
  if (result.issues) return detailsOf(invalidFields(result.issues));
  try {
    await checkContent(result.data, user, newId('prj'));
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'INVALID_INPUT') return detailsOf(error);
    if (error.code !== 'SLUG_TAKEN' && error.code !== 'DUPLICATE_URL') throw error;
    return detailsOf(invalidField([conflictingFields[error.code]], String(error.extra.message)));
  }
};

const viewOf = async (draft: DraftRecord, user: UserRecord): Promise<Draft> => {
  const content = JSON.parse(draft.content) as DraftContent;
  return {
    id: draft.id,
    content,
    problems: await problemsOf(content, user),
    created_at: draft.created_at,
    updated_at: draft.updated_at,
    expires_at: expiryOf(draft),
  };
};

/** The content of a response about one draft, and the version in its entity tag. */
const versioned = async (draft: DraftRecord, user: UserRecord) => ({
  data: await viewOf(draft, user),
  version: draft.version,
});

export const listDrafts = async (user: UserRecord, query: Paging) => {
  const { data, meta } = pageOf(await draftsOf(user.id), query);
  return { data: await Promise.all(data.map((draft) => viewOf(draft, user))), meta };
};

/** @param seed as in `createOnce`. @throws 409 when the user has too many already. */
export const createDraft = async (user: UserRecord, content: DraftContent, seed?: string) => {
  const create = async (id: string): Promise<DraftRecord> => {
    const at = now();
    const draft: DraftRecord = {
      id,
      user_id: user.id,
      content: JSON.stringify(content),
      created_at: at,
      updated_at: at,
      version: 1,
    };
    await insertDraft(draft);
    return draft;
  };
  const find = (id: string) => findDraft(user.id, id);
  const draft = await retryOnConflict(() => createOnce('dft', seed, { find, create }));
  return await versioned(draft, user);
};

/** @throws 404, also for the draft of another user. */
export const getDraft = async (user: UserRecord, draftId: string): Promise<DraftRecord> =>
  mustExist(await findDraft(user.id, draftId));

/** @throws 404. */
export const readDraft = async (user: UserRecord, draftId: string) =>
  await versioned(await getDraft(user, draftId), user);

/** @throws 404, 412 for a stale `If-Match`. */
export const updateDraft = (
  user: UserRecord,
  draftId: string,
  content: DraftContent,
  ifMatch: readonly string[] | undefined,
) =>
  retryOnConflict(async () => {
    const previous = await getDraft(user, draftId);
    mustMatch(ifMatch, previous.version);
    const next: DraftRecord = {
      ...previous,
      content: JSON.stringify(content),
      updated_at: now(),
      version: previous.version + 1,
    };
    await replaceDraft(previous, next);
    return await versioned(next, user);
  });

/** @throws 404. */
export const removeDraft = async (user: UserRecord, draftId: string): Promise<string> => {
  const { id } = await getDraft(user, draftId);
  if (!(await deleteDraft(user.id, id))) throw notFound();
  return id;
};
