import { PricingType, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';

/**
 * What a catalog may reckon with. Its orders, sets and texts are shared by all listings: one number that is none, or one tag
 * that is no text, would put more in disorder than its own listing. By hand, because a cold process checks every card.
 */

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isNumber: Check = Number.isFinite;
const isDegrees =
  (max: number): Check =>
  (value) =>
    value === null || (Number.isFinite(value) && Math.abs(value as number) <= max);

const statuses: readonly unknown[] = Status.options;
const pricingTypes: readonly unknown[] = PricingType.options;

type Checks<T> = readonly (readonly [keyof T & string, Check])[];

const ofProject: Checks<ProjectRecord> = [
  ['id', isText],
  ['slug', isText],
  ['earlier_slugs', isTexts],
  ['name', isText],
  ['url', isText],
  ['description', isText],
  ['long_description', isTextOrNull],
  ['categories', isTexts],
  ['tags', isTexts],
  ['logo_url', isTextOrNull],
  ['screenshots', isTexts],
  ['video_url', isTextOrNull],
  ['pricing_type', (value) => pricingTypes.includes(value)],
  ['status', (value) => statuses.includes(value)],
  ['owner_id', isText],
  ['latitude', isDegrees(90)],
  ['longitude', isDegrees(180)],
  ['address_city', isTextOrNull],
  ['address_country', isTextOrNull],
  ['created_at', isText],
  ['updated_at', isText],
  ['published_at', isTextOrNull],
  ['deleted_at', isTextOrNull],
  ['rejection_reason', isTextOrNull],
  ['paid_at', isTextOrNull],
  ['version', isNumber],
];

const ofCounts: Checks<ProjectCounts> = [
  ['upvote_count', isNumber],
  ['ratings_sum', isNumber],
  ['ratings_count', isNumber],
  ['comments_count', isNumber],
  ['views_count', isNumber],
  ['version', isNumber],
];

const ofCategory: Checks<CategoryRecord> = [
  ['sort_order', isNumber],
  ['version', isNumber],
];

const checked = <T>(record: T, checks: Checks<T>): T => {
  for (const [name, isSound] of checks) if (!isSound(record[name])) throw new Error(`Its ${name} cannot be used.`);
  return record;
};

/** The record of a project. @throws when a catalog could not hold it. */
export const checkedProject = (project: ProjectRecord): ProjectRecord => checked(project, ofProject);

/** The counters of a project. @throws when one of them is no number. */
export const checkedCounts = (counts: ProjectCounts): ProjectCounts => checked(counts, ofCounts);

/** A category. @throws when a catalog could not sort it. */
export const checkedCategory = (category: CategoryRecord): CategoryRecord => checked(category, ofCategory);

/** An id. @throws when it is no text. */
export const checkedId = (id: unknown): string => {
  if (typeof id !== 'string') throw new Error('It does not say what it belongs to.');
  return id;
};
