import type { Submission } from '#contract/projects.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { currentFields } from '#data/custom-fields.ts';
import { draftDeletion, findDraft } from '#data/drafts.ts';
import { CategoryGone, findProject, insertProject } from '#data/projects.ts';
import { exists, type Write } from '#data/write.ts';
import { valueEdit } from '#model/field.ts';
import { hasAdminRights } from '#model/policy.ts';
import { type ProjectRecord, unsetFields } from '#model/project.ts';
import type { RuleDecision } from '#model/rule.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { createOnce } from '#services/create-once.ts';
import { AppError, invalidField } from '#shared/errors.ts';
import { applyDecision, decideSubmission } from './apply-rules.ts';
import {
  currentCategories,
  givenContent,
  mustBeAhead,
  mustHaveFreeSlug,
  mustHaveFreeUrl,
  mustNotBeReserved,
  slugForName,
} from './content.ts';

export const pendingProject = (
  submission: Submission,
  given: {
    readonly id: string;
    readonly slug: string;
    readonly ownerId: string;
    readonly at: string;
    /** As stored. */
    readonly fieldValues?: string | null;
  },
): ProjectRecord => ({
  ...unsetFields,
  ...givenContent(submission),
  name: submission.name,
  url: submission.url,
  description: submission.description,
  pricing_type: submission.pricing_type,
  id: given.id,
  slug: given.slug,
  plan: submission.plan,
  status: 'pending',
  owner_id: given.ownerId,
  created_at: given.at,
  updated_at: given.at,
  field_values: given.fieldValues ?? null,
  version: 1,
});

interface CheckedContent {
  /** The current slugs. */
  readonly categories: string[];
  /** Of further fields, as stored. */
  readonly fieldValues: string | null;
}

/**
 * Checks whether a submission can be stored.
 * @param id of the project that it will become.
 * @throws 400 for an unknown category, wrong or missing values of fields and a time of publication that is not within the next year,
 * 409 when the slug is reserved or taken or the URL is a duplicate.
 */
export const checkContent = async (
  submission: Submission,
  submitter: UserRecord,
  id: string,
): Promise<CheckedContent> => {
  const categories = await currentCategories(submission.categories);
  const isStaff = hasAdminRights(submitter);
  const values = valueEdit(
    await currentFields(),
    submission.fields ?? {},
    isStaff ? 'staff' : 'owner',
    isStaff ? 'nothing' : 'submission',
  );
  const fieldValues = values({ field_values: null, categories });
  const { slug, url } = submission;
  if (environment().features.drafts) mustBeAhead(submission.publish_at);
  if (slug !== undefined) {
    mustNotBeReserved(slug);
    await mustHaveFreeSlug({ slug, id });
  }
  await mustHaveFreeUrl({ url, id });
  return { categories, fieldValues };
};

/** The id of the draft that a submission completes. */
export const draftIdOf = ({ draft_id }: Submission): string | undefined =>
  environment().features.drafts ? (draft_id ?? undefined) : undefined;

const unknownDraft = () => invalidField(['draft_id'], 'is not a draft of yours');

/** The deletion of the draft that a submission completes. @throws 400 when it is deleted concurrently. */
const completedDraft = (submission: Submission, userId: string): readonly Write[] => {
  const draftId = draftIdOf(submission);
  return draftId === undefined ? [] : [draftDeletion(userId, draftId, { when: exists, orElse: unknownDraft })];
};

interface CheckedSubmission extends CheckedContent {
  /** What a rule decides; undefined when none matches. */
  readonly decision: RuleDecision | undefined;
}

/**
 * Checks whether a submission can be stored, now or after its payment, and asks the rules.
 * @param id of the project that it will become.
 * @throws as `checkContent`; 400 also when the draft is not the submitter's.
 */
export const checkSubmission = async (
  submission: Submission,
  submitter: UserRecord,
  id: string,
): Promise<CheckedSubmission> => {
  const { categories, fieldValues } = await checkContent(submission, submitter, id);
  const draftId = draftIdOf(submission);
  if (draftId !== undefined && !(await findDraft(submitter.id, draftId))) throw unknownDraft();
  const decision = await decideSubmission({
    ...submission,
    field_values: fieldValues,
    categories,
    id,
    long_description: submission.long_description ?? null,
    submitter,
    at: now(),
  });
  return { categories, decision, fieldValues };
};

/** Enough for a hundred concurrent submissions of the same name: each failure means that another got a slug. */
const ATTEMPTS_MAX = 100;

const isSlugTaken = (error: unknown): boolean => error instanceof AppError && error.code === 'SLUG_TAKEN';

const storeSubmission = async (id: string, owner: UserRecord, submission: Submission): Promise<ProjectRecord> => {
  const { decision, fieldValues, ...checked } = await checkSubmission(submission, owner, id);
  let { categories } = checked;
  const insert = async (): Promise<ProjectRecord> => {
    const slug = submission.slug ?? (await slugForName(submission.name, id));
    const pending = pendingProject(
      { ...submission, categories },
      { id, slug, ownerId: owner.id, at: now(), fieldValues },
    );
    const submitted = { cause: 'submitted', actorId: owner.id } as const;
    const { next: project, origin, messages, writes } = applyDecision(pending, decision, submitted);
    try {
      await insertProject(project, origin, messages, [...writes, ...completedDraft(submission, owner.id)]);
      return project;
    } catch (error) {
      if (error instanceof CategoryGone) categories = await currentCategories(submission.categories);
      throw error;
    }
  };
  // A generated slug can be taken by a concurrent submission; the next attempt generates another one.
  const isConflict = (error: unknown): boolean =>
    error instanceof CategoryGone || (submission.slug === undefined && isSlugTaken(error));
  return await retryOnConflict(insert, { isConflict, attemptsMax: ATTEMPTS_MAX });
};

/**
 * Stores a submission of the standard plan, pending moderation unless a rule decides, and publishes `projectSubmitted`.
 * @param seed as in `createOnce`.
 * @throws 409 when the given slug or the URL is taken, 400 for an unknown category.
 */
export const submitProject = async (
  owner: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<ProjectRecord> => {
  if (submission.plan === 'premium') throw new Error('A premium submission is stored after payment.');
  return await createOnce('prj', seed, {
    find: async (id) => (await findProject(id))?.project,
    create: (id) => storeSubmission(id, owner, submission),
  });
};
