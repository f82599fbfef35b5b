import * as z from 'zod';
import { CategoryBody } from '#contract/categories.ts';
import { FieldBody } from '#contract/custom-fields.ts';
import { Slug } from '#contract/fields.ts';
import { Submission } from '#contract/projects.ts';
import { allCategories, insertCategory } from '#data/categories.ts';
import { takenCollectionSlugs } from '#data/collections.ts';
import { storedFields, withSlugs } from '#data/custom-fields.ts';
import { seedMarkKey } from '#data/keys.ts';
import { existingProjects, insertProject, liveProjectIds, takenSlugs } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findSetting, replaceSetting } from '#data/settings.ts';
import { findOrCreateUser } from '#data/users.ts';
import { putItem } from '#data/write.ts';
import { DAY_MS } from '#model/days.ts';
import { Fields, valueEdit } from '#model/field.ts';
import { isOpen } from '#model/policy.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { createCollection } from '#services/collections.ts';
import { createField } from '#services/fields/manage.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { pendingProject } from '#services/projects/submit.ts';
import { addSampleActivity } from './sample-activity.ts';
import sampleData from './sample-data.json' with { type: 'json' };
import { sampleImages } from './sample-images.ts';

/** The owner of the sample projects. Request a token for this address to edit them. */
const SAMPLE_OWNER = {
  sub: 'sample-owner',
  email: 'editor@example.com',
  emailVerified: true,
  name: 'The Editors',
  issuedAt: null,
};

/** What the directory says about itself. */
const SAMPLE_SITE = {
  tagline: 'Software worth knowing',
  description: 'A directory of software that respects its users: free, open, or fairly priced.',
  texts: {
    about: `This is a directory with sample data on your machine. Visitors search, vote, rate, comment and submit listings; you decide what is published.

- **Administrators** open the [console](/console) and change this text in *Settings, Site*.
- **Developers** read the [API reference](/docs).

Start with \`SAMPLE_DATA=off\` in a new folder for an empty directory.`,
    imprint: '',
    privacy: '',
    terms: '',
  },
};

/** The listings were published over so many days. */
const PUBLISHED_DAYS = 90;

const SampleData = z.object({
  categories: z.array(CategoryBody.extend({ slug: Slug })),
  collections: z.array(z.object({ title: z.string(), description: z.string(), projects: z.array(Slug) })),
  fields: z.array(FieldBody),
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

/** A text about a listing, from what the sample data says of it. */
const longDescription = ({
  name,
  description,
  tags,
  pricing_type,
  address_city,
  address_country,
}: SampleProject): string =>
  [
    description,
    '## At a glance',
    [
      `- **Price:** ${pricing_type}`,
      ...(address_country ? [`- **Home:** ${[address_city, address_country].filter(Boolean).join(', ')}`] : []),
      ...(tags && tags.length > 0 ? [`- **About:** ${tags.join(', ')}`] : []),
    ].join('\n'),
    '## Good to know',
    `*${name}* is one of the sample listings. Edit it in the console, vote for it, rate it or report it: nothing leaves this machine.`,
  ].join('\n\n');

/** Defines the fields that do not exist yet. @returns all. */
const defineSampleFields = async (samples: readonly FieldBody[]): Promise<Fields> => {
  const known = new Set((await storedFields()).records.map(({ key }) => key));
  for (const sample of samples) if (!known.has(sample.key)) await createField(sample);
  return new Fields(await withSlugs((await storedFields()).records));
};

const insertSampleProject = async (sample: SampleProject, createdAt: string, fields: Fields): Promise<void> => {
  const { pending, ...content } = sample;
  const images = sampleImages(environment().siteUrl, slugOf(sample));
  const submission = { ...content, ...images, long_description: longDescription(sample) };
  const { categories } = content;
  const fieldValues = valueEdit(fields, content.fields ?? {}, 'staff', 'nothing')({ field_values: null, categories });
  const created = { id: newId('prj'), slug: slugOf(sample), ownerId: SAMPLE_OWNER.sub, at: createdAt, fieldValues };
  const project = pendingProject(submission, created);
  const origin = { cause: 'submitted', actorId: SAMPLE_OWNER.sub } as const;
  await insertProject(pending ? project : { ...project, status: 'live', published_at: createdAt }, origin, []);
};

const markSeeded = async (): Promise<void> => {
  await putItem({ ...seedMarkKey, type: 'mark', at: now() });
};

/**
 * Inserts sample categories, definitions of fields and projects into a new table. The seed mark is written last: an interrupted seed is
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
  const { categories, projects, collections, fields: definitions } = SampleData.parse(sampleData);
  await findOrCreateUser(SAMPLE_OWNER, true);
  const known = new Set((await allCategories()).map((category) => category.slug));
  for (const [position, sample] of categories.entries()) {
    if (!known.has(sample.slug)) await insertSampleCategory(sample, position);
  }
  const fields = await defineSampleFields(definitions);
  const apart = (PUBLISHED_DAYS * DAY_MS) / projects.length;
  const start = Date.now() - projects.length * apart;
  const taken = await takenSlugs(projects.map(slugOf));
  await Promise.all(
    projects.map(async (sample, position) => {
      if (taken.has(slugOf(sample))) return;
      await insertSampleProject(sample, new Date(start + position * apart).toISOString(), fields);
    }),
  );
  const ids = await liveProjectIds(projects.map(slugOf));
  const stored = await existingProjects([...ids.values()]);
  await addSampleActivity(stored.filter(isOpen).toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1)));
  for (const { title, description, projects: slugs } of collections) {
    const slug = slugFrom(title, title);
    if ((await takenCollectionSlugs([slug])).has(slug)) continue;
    const project_ids = slugs.flatMap((one) => ids.get(one) ?? []);
    await createCollection({ title, slug, description, project_ids, is_public: true });
  }
  const site = await findSetting('site');
  if (site.version === 0) await replaceSetting('site', site, { ...site.value, ...SAMPLE_SITE });
  await markSeeded();
};
