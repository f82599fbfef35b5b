import type { ReadCatalog } from '#catalog/types.ts';
import { type Follow, type FollowBody, filtersOf, type ListFilters } from '#contract/follows.ts';
import { findCategoryByAlias } from '#data/categories.ts';
import { deleteFollow, findFollowOf, followsOf, insertFollow } from '#data/follows.ts';
import { canonical, type FollowQuery, type FollowRecord, hasFieldFilters, withoutFeatures } from '#model/follow.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { catalogOfFilters } from '#services/projects/list.ts';
import { AppError, type FieldErrors, type FieldIssue, invalidFields, mustExist, notFound } from '#shared/errors.ts';

/** What of a query lists read: parameters of features that are off count as unknown there. */
const readable = (query: FollowQuery): FollowQuery => {
  const { search, fields } = environment().features;
  return withoutFeatures(query, { search: !search, fields: !fields });
};

const invalidQuery = (issues: readonly FieldIssue[]): AppError =>
  invalidFields(issues.map(({ path, message }) => ({ path: ['query', ...path], message })));

/** The issues of filters by fields, which a list reports on `filter`. */
const fieldIssues = (error: AppError): FieldIssue[] => {
  const { filter } = error.extra.details as { filter?: FieldErrors };
  return Object.entries(filter ?? {}).flatMap(([key, errors]) =>
    Array.isArray(errors) ? [] : [{ path: [`filter[${key}]`], message: errors._errors[0] ?? 'must be valid' }],
  );
};

/** The filters of a query for lists, and the catalog that they are valid in. @throws 400 on `query`. */
const checkedFilters = async (query: FollowQuery) => {
  const result = filtersOf(query);
  if (result.issues) throw invalidQuery(result.issues);
  const { filters } = result;
  try {
    return { filters, catalog: await catalogOfFilters(filters) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_INPUT') throw invalidQuery(fieldIssues(error));
    throw error;
  }
};

/** Whether a category has the slug, or replaced the one that had it. */
const isCategory = async (slug: string, projects: ReadCatalog): Promise<boolean> =>
  projects.categories().some(({ category }) => category.slug === slug) ||
  (await findCategoryByAlias(slug)) !== undefined;

const isSphere = (name: string, projects: ReadCatalog): boolean =>
  projects.categories().some(({ category }) => category.sphere === name);

/** Whether one of the categories and one of the spheres exists; lists do not reject unknown ones. */
const existIn = async ({ category = [], sphere = [] }: ListFilters, projects: ReadCatalog): Promise<boolean> => {
  const categories = await Promise.all(category.map((slug) => isCategory(slug, projects)));
  const spheres = sphere.map((name) => isSphere(name, projects));
  return [categories, spheres].every((found) => found.length === 0 || found.includes(true));
};

/** The filters of a follow; undefined while they are invalid. */
export const validFilters = async ({ query }: FollowRecord): Promise<ListFilters | undefined> => {
  // Without them the list would have more listings than the user follows.
  if (hasFieldFilters(query) && !environment().features.fields) return undefined;
  try {
    const { filters, catalog } = await checkedFilters(readable(query));
    return (await existIn(filters, catalog)) ? filters : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_INPUT') return undefined;
    throw error;
  }
};

const viewOf = async (follow: FollowRecord): Promise<Follow> => ({
  id: follow.id,
  query: follow.query,
  name: follow.name,
  frequency: follow.frequency,
  is_valid: (await validFilters(follow)) !== undefined,
  created_at: follow.created_at,
});

export const listFollows = async (user: UserRecord): Promise<Follow[]> =>
  await Promise.all((await followsOf(user.id)).map(viewOf));

/**
 * Follows a query; one that is followed already stays as it is.
 * @param seed the ULID that the attempts of a request share: a retry finds the follow that an earlier attempt has stored.
 * @throws 400; 409 when the user has too many follows.
 */
export const createFollow = async (
  user: UserRecord,
  { name, frequency, query: given }: FollowBody,
  seed?: string,
): Promise<{ data: Follow; isNew: boolean }> => {
  const query = readable(given);
  const key = canonical((await checkedFilters(query)).filters);
  const record: FollowRecord = {
    id: newId('fol', seed),
    user_id: user.id,
    query,
    name: name ?? null,
    frequency,
    created_at: now(),
  };
  const stored = (await insertFollow(record, key)) ? record : mustExist(await findFollowOf(user.id, key));
  return { data: await viewOf(stored), isNew: stored.id === record.id };
};

/** @throws 404, also for a follow of another user. */
export const removeFollow = async (user: UserRecord, followId: string): Promise<string> => {
  if (!(await deleteFollow(user.id, followId))) throw notFound();
  return followId;
};
