import type { Submission } from '#contract/projects.ts';
import { message, type Workshop } from '#domain/messages.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { conflict } from '#shared/errors.ts';
import { type CategoryRegister, mustExist, mustNotBeReserved, type SlugRegister, slugForName } from './content.ts';
import { factsOf } from './facts.ts';
import type { ProjectRecord } from './project.ts';

/** What submitting takes. */
export interface SubmitPorts extends Workshop, SlugRegister, CategoryRegister {
  readonly insertProject: (project: ProjectRecord, messages: readonly Message[]) => Promise<void>;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** Ids of other projects with this address, where a second one is refused; empty where it is allowed. */
  readonly refusedBecauseOf: (url: string) => Promise<readonly string[]>;
}

/** The record of a submission, waiting for moderation. */
export const pendingProject = (
  submission: Submission,
  given: { readonly id: string; readonly slug: string; readonly ownerId: string; readonly at: string },
): ProjectRecord => ({
  id: given.id,
  slug: given.slug,
  earlier_slugs: [],
  plan: submission.plan,
  name: submission.name,
  url: submission.url,
  description: submission.description,
  long_description: submission.long_description ?? null,
  categories: submission.categories,
  tags: submission.tags ?? [],
  logo_url: submission.logo_url ?? null,
  screenshots: submission.screenshots ?? [],
  video_url: submission.video_url ?? null,
  pricing_type: submission.pricing_type,
  status: 'pending',
  owner_id: given.ownerId,
  latitude: submission.latitude ?? null,
  longitude: submission.longitude ?? null,
  address_city: submission.address_city ?? null,
  address_country: submission.address_country ?? null,
  created_at: given.at,
  updated_at: given.at,
  published_at: null,
  deleted_at: null,
  rejection_reason: null,
  paid_at: null,
  version: 1,
});

const isThereAlready = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';

const isSlugTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SLUG_TAKEN';

// A slug that was free a moment ago may be gone; each loss means that somebody else has got one.
const TRIES = 100;

/**
 * Takes a submission of the standard plan in. It waits for moderation; `projectSubmitted` fires.
 * @param seed the ULID of an idempotent request: the project's id is made from it, so a second try finds the first.
 * @throws 409 when a given slug is taken or the address is refused, 400 for an unknown category.
 */
export const submitProject = async (
  ports: SubmitPorts,
  owner: UserRecord,
  submission: Submission,
  seed?: string,
): Promise<ProjectRecord> => {
  if (submission.plan === 'premium') throw new Error('A premium submission is paid before it is stored.');
  // An earlier try of the same request may have done the work and died before it could say so.
  const done = seed === undefined ? undefined : await ports.findProject(`prj_${seed}`);
  if (done) return done.project;
  await mustExist(ports, submission.categories);
  if (submission.slug !== undefined) mustNotBeReserved(submission.slug);
  const id = seed === undefined ? ports.newId('prj') : `prj_${seed}`;
  if ((await ports.refusedBecauseOf(submission.url)).some((other) => other !== id)) {
    throw conflict('DUPLICATE_URL', 'Another project has this address.');
  }
  for (let attempt = 1; ; attempt += 1) {
    const slug = submission.slug ?? (await slugForName(ports, submission.name, id));
    const project = pendingProject(submission, { id, slug, ownerId: owner.id, at: ports.now() });
    try {
      await ports.insertProject(project, [message(ports, 'projectSubmitted', owner.id, factsOf(project))]);
      return project;
    } catch (error) {
      // An earlier try that was given up for dead may have come to its end in the meantime.
      const made = seed !== undefined && isThereAlready(error) ? await ports.findProject(id) : undefined;
      if (made) return made.project;
      if (submission.slug !== undefined || !isSlugTaken(error) || attempt >= TRIES) throw error;
    }
  }
};
