import { checked } from '#contract/fields.ts';
import {
  type ContentChange,
  type FieldChange,
  ProjectContent,
  type ProjectEdit,
  type ProjectUpdate,
  type Submission,
} from '#contract/projects.ts';
import { currentCategorySlugs } from '#data/categories.ts';
import { duplicateUrl, isDuplicateUrl, slugHolders, takenSlugs } from '#data/projects.ts';
import { DAY_MS } from '#model/days.ts';
import { recordedNames, recordedValue, type ValueEdit } from '#model/field.ts';
import type { ProjectRecord } from '#model/project.ts';
import { isSameValue } from '#model/revision.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { conflict, invalidField } from '#shared/errors.ts';
import { freeSlug, isReservedSlug } from './slug.ts';
import { slugFrom } from './slug-from-name.ts';

const contentFields = Object.keys(ProjectContent.shape) as (keyof ProjectContent)[];

/** @throws 409 for a slug that no project can have. */
export const mustNotBeReserved = (slug: string): void => {
  if (isReservedSlug(slug)) throw conflict('SLUG_TAKEN', `"${slug}" is a reserved slug.`);
};

/** @throws 409 when the slug belongs to another project. */
export const mustHaveFreeSlug = async ({ slug, id }: { readonly slug: string; readonly id: string }): Promise<void> => {
  const holder = (await slugHolders([slug])).get(slug);
  if (holder !== undefined && holder !== id) {
    throw conflict('SLUG_TAKEN', `The slug "${slug}" belongs to another project.`);
  }
};

/** @throws 409 when the slug changes to that of another project. */
export const mustHaveOwnSlug = async (current: ProjectRecord, next: ProjectRecord): Promise<void> => {
  if (next.slug !== current.slug) await mustHaveFreeSlug(next);
};

/** @throws 409 when another project has the URL and duplicates are rejected. */
export const mustHaveFreeUrl = async ({ url, id }: { readonly url: string; readonly id: string }): Promise<void> => {
  if (await isDuplicateUrl(url, id)) throw duplicateUrl();
};

/** @throws 409 when the URL changes, or the project is restored, and another project has the URL. */
export const mustHaveOwnUrl = async (current: ProjectRecord, next: ProjectRecord): Promise<void> => {
  if (next.url === current.url && (next.deleted_at === null) === (current.deleted_at === null)) return;
  await mustHaveFreeUrl(next);
};

export const slugForName = (name: string, projectId: string): Promise<string> =>
  freeSlug(slugFrom(name, projectId.slice('prj_'.length).toLowerCase()), takenSlugs);

/** @throws 400 naming the slugs. */
export const mustNotBeMissing = (missing: readonly string[]): void => {
  if (missing.length === 0) return;
  const names = missing.map((slug) => `"${slug}"`).join(', ');
  throw invalidField(['categories'], `${names} ${missing.length > 1 ? 'are not categories' : 'is not a category'}`);
};

interface ResolvedCategories<T> {
  /** With the current categories in place of merged ones. */
  readonly resolved: T;
  /** The slugs that belong to no category. */
  readonly missing: readonly string[];
}

/** Resolves the categories of an edit. @param known slugs that are not looked up. */
export const resolveCategories = async <T extends { readonly categories?: readonly string[] | undefined }>(
  edit: T,
  known: readonly string[],
): Promise<ResolvedCategories<T>> => {
  const unknown = edit.categories?.filter((slug) => !known.includes(slug)) ?? [];
  if (!edit.categories || unknown.length === 0) return { resolved: edit, missing: [] };
  const current = await currentCategorySlugs(unknown);
  const categories = [...new Set(edit.categories.map((slug) => current.get(slug) ?? slug))];
  return { resolved: { ...edit, categories }, missing: unknown.filter((slug) => !current.has(slug)) };
};

/** The current slugs of categories. @throws 400 naming those that do not exist. */
export const currentCategories = async (categories: readonly string[]): Promise<string[]> => {
  const { resolved, missing } = await resolveCategories({ categories }, []);
  mustNotBeMissing(missing);
  return [...resolved.categories];
};

/** Changes of categories with the current ones in place of merged ones. */
export const currentChanges = async (changes: readonly FieldChange[]): Promise<FieldChange[]> => {
  const isAboutCategories = ({ field }: FieldChange): boolean => field === 'categories';
  const current = async (value: FieldChange['before']): Promise<FieldChange['before']> =>
    Array.isArray(value) ? [...(await resolveCategories({ categories: value }, [])).resolved.categories] : value;
  return await Promise.all(
    changes.map(async (change) =>
      isAboutCategories(change)
        ? { ...change, before: await current(change.before), after: await current(change.after) }
        : change,
    ),
  );
};

export const givenContent = (
  body: Submission | ProjectUpdate | ProjectEdit | Partial<ProjectContent>,
): Partial<ProjectContent> =>
  Object.fromEntries(
    contentFields.flatMap((field) => {
      const value = body[field];
      const isOn = field !== 'publish_at' || environment().features.drafts;
      return value === undefined || !isOn ? [] : [[field, value]];
    }),
  );

/** How far ahead a time of publication can lie, in days. */
const PUBLISH_AHEAD_DAYS = 366;

/** @throws 400 for a time of publication that has passed or is more than a year ahead. */
export const mustBeAhead = (publishAt: string | null | undefined): void => {
  if (publishAt == null) return;
  const ahead = Date.parse(publishAt) - Date.parse(now());
  if (ahead <= 0) throw invalidField(['publish_at'], 'must not have passed');
  if (ahead > PUBLISH_AHEAD_DAYS * DAY_MS) throw invalidField(['publish_at'], 'must be at most a year ahead');
};

/** How many earlier slugs a project keeps; all of them stay reserved. */
const EARLIER_SLUGS_MAX = 20;

const coordinates = ['latitude', 'longitude'] as const;

/** The changed fields, with both coordinates if one of them is changed, because a rule joins them. */
const validatedFields = (changed: readonly (keyof ProjectContent)[]): readonly (keyof ProjectContent)[] =>
  coordinates.some((field) => changed.includes(field)) ? [...new Set([...changed, ...coordinates])] : changed;

/**
 * Applies an edit to a record and validates what it changes: a field that it leaves alone never makes it fail. A project
 * may take back one of its own earlier slugs.
 * @param schema of the changed fields: `OwnContentChange` for owners, `ContentChange` for administrators.
 * @param values the change of further fields, which sees the categories after the edit.
 * @returns the record, unchanged if no field differs, and the names of the fields that differ.
 * @throws 400 when a changed field is invalid.
 */
export const mergeContent = (
  current: ProjectRecord,
  edit: ProjectUpdate | ProjectEdit | Partial<ProjectContent>,
  changedAt: string,
  schema: typeof ContentChange,
  values?: ValueEdit,
): { readonly next: ProjectRecord; readonly changed: readonly string[] } => {
  const isPublished = current.published_at !== null;
  const content: ProjectRecord = {
    ...current,
    ...givenContent(edit),
    ...(isPublished && { publish_at: current.publish_at }),
  };
  const changed = contentFields.filter((field) => !isSameValue(content[field], current[field]));
  const field_values = values ? values(content) : current.field_values;
  const changedValues = recordedNames(current.field_values, field_values).filter(
    (name) => recordedValue(current.field_values, name) !== recordedValue(field_values, name),
  );
  if (changed.length === 0 && changedValues.length === 0) return { next: current, changed };
  const valid = checked(schema, Object.fromEntries(validatedFields(changed).map((field) => [field, content[field]])));
  if (changed.includes('publish_at')) mustBeAhead(content.publish_at);
  const earlier = [...current.earlier_slugs, current.slug].filter((slug) => slug !== content.slug);
  if (changed.includes('slug') && earlier.length > EARLIER_SLUGS_MAX) {
    throw invalidField(['slug'], `can be changed at most ${EARLIER_SLUGS_MAX} times`);
  }
  return {
    next: {
      ...content,
      ...(valid as Partial<ProjectContent>),
      field_values,
      earlier_slugs: content.slug === current.slug ? current.earlier_slugs : earlier,
      updated_at: changedAt,
    },
    changed: [...changed, ...changedValues],
  };
};
