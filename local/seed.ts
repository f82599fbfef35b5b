import { allCategories, insertCategory } from '#data/categories.ts';
import { seedMarkKey } from '#data/keys.ts';
import { insertProject, takenSlugs } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { userAtFirstSight } from '#data/users.ts';
import { putItem } from '#data/write.ts';
import { slugFrom } from '#domain/projects/slug-from-name.ts';
import { pendingProject } from '#domain/projects/submit.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { type SampleCategory, type SampleProject, sampleCategories, sampleProjects } from './sample-data.ts';

/** Who the sample belongs to. Sign in with this address to edit it as its owner. */
const SAMPLE_OWNER = {
  sub: 'sample-owner',
  email: 'editor@example.com',
  emailVerified: true,
  name: 'The Editors',
};

const HOUR_MS = 3600 * 1000;

const slugOf = (sample: SampleProject): string => slugFrom(sample.name, sample.name);

const insertSampleCategory = (sample: SampleCategory, position: number): Promise<void> => {
  const at = now();
  return insertCategory({
    ...sample,
    id: newId('cat'),
    icon: null,
    sort_order: (position + 1) * 10,
    created_at: at,
    updated_at: at,
    version: 1,
  });
};

const insertSampleProject = async (sample: SampleProject, createdAt: string): Promise<void> => {
  const [city = null, country = null, latitude = null, longitude = null] = sample.place ?? [];
  const id = newId('prj');
  const project = pendingProject(
    {
      plan: 'standard',
      name: sample.name,
      url: sample.url,
      description: sample.description,
      categories: [...sample.categories],
      tags: [...sample.tags],
      pricing_type: sample.pricing,
      latitude,
      longitude,
      address_city: city,
      address_country: country,
    },
    { id, slug: slugOf(sample), ownerId: SAMPLE_OWNER.sub, at: createdAt },
  );
  await insertProject(sample.pending ? project : { ...project, status: 'live', published_at: createdAt }, []);
};

/**
 * Fills a new directory with the sample, so that the first look is not empty. A mark says that it is done: what a run that
 * died left undone the next one finishes, and what somebody has deleted since does not come back.
 */
export const seed = async (): Promise<void> => {
  if (await findItem(seedMarkKey)) return;
  await userAtFirstSight(SAMPLE_OWNER);
  const known = new Set((await allCategories()).map((category) => category.slug));
  for (const [position, sample] of sampleCategories.entries()) {
    if (!known.has(sample.slug)) await insertSampleCategory(sample, position);
  }
  const start = Date.now() - sampleProjects.length * HOUR_MS;
  const taken = await takenSlugs(sampleProjects.map(slugOf));
  await Promise.all(
    sampleProjects.map(async (sample, position) => {
      if (taken.has(slugOf(sample))) return;
      await insertSampleProject(sample, new Date(start + position * HOUR_MS).toISOString());
    }),
  );
  await putItem({ ...seedMarkKey, type: 'mark', at: now() });
};
