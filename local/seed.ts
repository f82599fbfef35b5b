import * as z from 'zod';
import { CategoryBody } from '#contract/categories.ts';
import { Slug } from '#contract/fields.ts';
import { Submission } from '#contract/projects.ts';
import { allCategories, insertCategory } from '#data/categories.ts';
import { seedMarkKey } from '#data/keys.ts';
import { insertProject, takenSlugs } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findOrCreateUser } from '#data/users.ts';
import { putItem } from '#data/write.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { pendingProject } from '#services/projects/submit.ts';
import sampleData from './sample-data.json' with { type: 'json' };

/** The owner of the sample projects. Request a token for this address to edit them. */
const SAMPLE_OWNER = {
  sub: 'sample-owner',
  email: 'editor@example.com',
  emailVerified: true,
  name: 'The Editors',
};

const HOUR_MS = 3600 * 1000;

const SampleData = z.object({
  categories: z.array(CategoryBody.extend({ slug: Slug })),
  projects: z.array(
    z
      .looseObject({ pending: z.literal(true).optional().describe('Stays in the moderation queue.') })
      .transform(({ pending, ...project }) => ({ ...Submission.parse({ plan: 'standard', ...project }), pending })),
  ),
});
type SampleCategory = z.infer<typeof SampleData>['categories'][number];
type SampleProject = z.infer<typeof SampleData>['projects'][number];

const slugOf = ({ name }: SampleProject): string => slugFrom(name, name);

const insertSampleCategory = async (sample: SampleCategory, position: number): Promise<void> => {
  const { slug, name, sphere = null, description = null, color = null } = sample;
  const at = now();
  await insertCategory({
    id: newId('cat'),
    slug,
    name,
    sphere,
    description,
    color,
    icon: null,
    sort_order: (position + 1) * 10,
    created_at: at,
    updated_at: at,
    version: 1,
  });
};

const insertSampleProject = async (sample: SampleProject, createdAt: string): Promise<void> => {
  const { pending, ...submission } = sample;
  const created = { id: newId('prj'), slug: slugOf(sample), ownerId: SAMPLE_OWNER.sub, at: createdAt };
  const project = pendingProject(submission, created);
  const origin = { cause: 'submitted', actorId: SAMPLE_OWNER.sub } as const;
  await insertProject(pending ? project : { ...project, status: 'live', published_at: createdAt }, origin, []);
};

const markSeeded = async (): Promise<void> => {
  await putItem({ ...seedMarkKey, type: 'mark', at: now() });
};

/**
 * Inserts sample categories and projects into a new table. The seed mark is written last: an interrupted seed is
 * completed by the next start, and sample data that was deleted later is not inserted again. `SAMPLE_DATA=off` inserts
 * none.
 */
export const seed = async (): Promise<void> => {
  if (await findItem(seedMarkKey)) return;
  if (process.env.SAMPLE_DATA === 'off') {
    // A later start without the variable must not add samples to the data of users.
    await markSeeded();
    return;
  }
  const { categories, projects } = SampleData.parse(sampleData);
  await findOrCreateUser(SAMPLE_OWNER, true);
  const known = new Set((await allCategories()).map((category) => category.slug));
  for (const [position, sample] of categories.entries()) {
    if (!known.has(sample.slug)) await insertSampleCategory(sample, position);
  }
  const start = Date.now() - projects.length * HOUR_MS;
  const taken = await takenSlugs(projects.map(slugOf));
  await Promise.all(
    projects.map(async (sample, position) => {
      if (taken.has(slugOf(sample))) return;
      await insertSampleProject(sample, new Date(start + position * HOUR_MS).toISOString());
    }),
  );
  await markSeeded();
};
