import type { Submission } from '#contract/projects.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { CategoryGone, findProject, insertProject, isDuplicateUrl } from '#data/projects.ts';
import { ConditionFailed } from '#data/write.ts';
import { type ProjectRecord, unsetFields } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { applyDecision } from '#services/rules/apply.ts';
import { decideSubmission } from '#services/rules/decide.ts';
import { AppError, conflict } from '#shared/errors.ts';
import { currentCategories, givenContent, mustNotBeReserved, slugForName } from './content.ts';

/** The record of a submission, pending moderation. */
export const pendingProject = (
  submission: Submission,
  given: { readonly id: string; readonly slug: string; readonly ownerId: string; readonly at: string },
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
  version: 1,
});

/** Enough for a hundred concurrent submissions of the same name: each failure means that another got a slug. */
const ATTEMPTS_MAX = 100;

const isSlugTaken = (error: unknown): boolean => error instanceof AppError && error.code === 'SLUG_TAKEN';

/**
 * Stores a submission of the standard plan, pending moderation unless a rule decides, and publishes `projectSubmitted`.
 * @param seed ULID of an idempotent request. The project id derives from it, so a retry finds the project.
 * @throws 409 when the given slug or the URL is taken, 400 for an unknown category.
 */
export const submitProject = async (
  owner: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<ProjectRecord> => {
  if (submission.plan === 'premium') throw new Error('A premium submission is stored after payment.');
  // An earlier attempt of the same request may have stored the project and failed before it could respond.
  const stored = seed === undefined ? undefined : await findProject(`prj_${seed}`);
  if (stored) return stored.project;
  let categories = await currentCategories(submission.categories);
  if (submission.slug !== undefined) mustNotBeReserved(submission.slug);
  const id = seed === undefined ? newId('prj') : `prj_${seed}`;
  if (await isDuplicateUrl(submission.url, id)) {
    throw conflict('DUPLICATE_URL', 'Another project has this address.');
  }
  const decision = await decideSubmission({
    ...submission,
    categories,
    id,
    long_description: submission.long_description ?? null,
    submitter: owner,
    at: now(),
  });
  const insert = async (): Promise<ProjectRecord> => {
    const slug = submission.slug ?? (await slugForName(submission.name, id));
    const pending = pendingProject({ ...submission, categories }, { id, slug, ownerId: owner.id, at: now() });
    const submitted = { cause: 'submitted', actorId: owner.id } as const;
    const { next: project, origin, messages, writes } = applyDecision(pending, decision, submitted);
    try {
      await insertProject(project, origin, messages, writes);
      return project;
    } catch (error) {
      // An attempt that was presumed dead may have stored the project meanwhile.
      const earlier = seed !== undefined && error instanceof ConditionFailed ? await findProject(id) : undefined;
      if (earlier) return earlier.project;
      if (error instanceof CategoryGone) categories = await currentCategories(submission.categories);
      throw error;
    }
  };
  // A generated slug can be taken by a concurrent submission; the next attempt generates another one.
  const isConflict = (error: unknown): boolean =>
    error instanceof CategoryGone || (submission.slug === undefined && isSlugTaken(error));
  return await retryOnConflict(insert, { isConflict, attemptsMax: ATTEMPTS_MAX });
};
