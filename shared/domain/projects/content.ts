import { checked } from '#contract/checked.ts';
import { type OwnContent, ProjectContent, type ProjectEdit, type ProjectUpdate } from '#contract/projects.ts';
import { conflict, invalidField } from '#shared/errors.ts';
import type { ProjectRecord } from './project.ts';
import { freeSlug, isReservedSlug } from './slug.ts';
import { slugFrom } from './slug-from-name.ts';

const contentFields = Object.keys(ProjectContent.shape) as (keyof ProjectContent)[];

/** What editing a project's words needs to know of other projects. */
export interface SlugRegister {
  readonly takenSlugs: (slugs: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** @throws 409 for a slug that can never belong to a project. */
export const mustNotBeReserved = (slug: string): void => {
  if (isReservedSlug(slug)) throw conflict('SLUG_TAKEN', `"${slug}" is a word of the interface itself.`);
};

/** The slug of a project that was given none. */
export const slugForName = (register: SlugRegister, name: string, projectId: string): Promise<string> =>
  freeSlug(slugFrom(name, projectId.slice('prj_'.length).toLowerCase()), register.takenSlugs);

/** How many slugs a project keeps beside its current one; all of them stay taken. */
const EARLIER_SLUGS_MAX = 20;

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** A record after its words were changed, and the names of the fields that differ. */
export interface Merged {
  readonly next: ProjectRecord;
  readonly changed: readonly string[];
}

/**
 * Puts the given fields into a record and checks the whole. An earlier slug of the project itself may be taken again.
 * @param schema of the whole: what its owner may make of it, or what an administrator may.
 * @throws 400 when the merged record would not be valid.
 */
export const merge = (
  current: ProjectRecord,
  update: ProjectUpdate | ProjectEdit,
  changedAt: string,
  schema: typeof OwnContent,
): Merged => {
  const given = Object.fromEntries(
    contentFields.flatMap((field) => {
      const value = update[field as keyof typeof update];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const whole = Object.fromEntries(contentFields.map((field) => [field, current[field]]));
  const content = checked(schema, { ...whole, ...given });
  const changed = contentFields.filter((field) => !isSame(content[field], current[field]));
  if (changed.length === 0) return { next: current, changed };
  const earlier = [...current.earlier_slugs, current.slug].filter((slug) => slug !== content.slug);
  if (changed.includes('slug') && earlier.length > EARLIER_SLUGS_MAX) {
    throw invalidField(['slug'], `has been changed ${EARLIER_SLUGS_MAX} times, which is all that is kept`);
  }
  return {
    next: {
      ...current,
      ...content,
      earlier_slugs: content.slug === current.slug ? current.earlier_slugs : earlier,
      updated_at: changedAt,
    },
    changed,
  };
};

/** What checking categories takes. */
export interface CategoryRegister {
  /** Which of some slugs belong to no category. */
  readonly missingCategories: (slugs: readonly string[]) => Promise<readonly string[]>;
}

/** @throws 400 naming the categories that do not exist. */
export const mustExist = async (register: CategoryRegister, categories: readonly string[]): Promise<void> => {
  const missing = categories.length > 0 ? await register.missingCategories(categories) : [];
  if (missing.length > 0) throw invalidField(['categories'], ...missing.map((slug) => `"${slug}" is not a category`));
};
