import type { Category, CategoryBody, CategoryUpdate } from '#contract/categories.ts';
import { message, type Workshop } from '#domain/messages.ts';
import { isReservedSlug } from '#domain/projects/slug.ts';
import { slugFrom } from '#domain/projects/slug-from-name.ts';
import { retried } from '#domain/retried.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { conflict, invalidField, notFound, stale } from '#shared/errors.ts';
import { type CarryOver, type SettlePorts, settleSlug } from './carry-over.ts';
import type { CategoryRecord } from './category.ts';

/** The category as callers see it. */
export const categoryView = (category: CategoryRecord, projectCount: number): Category => ({
  id: category.id,
  slug: category.slug,
  name: category.name,
  sphere: category.sphere,
  description: category.description,
  icon: category.icon,
  color: category.color,
  sort_order: category.sort_order,
  project_count: projectCount,
  created_at: category.created_at,
  updated_at: category.updated_at,
});

const versionTag = (category: Pick<CategoryRecord, 'id' | 'version'>): string => `${category.id}.${category.version}`;

/** The strong tag of a category as it is shown: the record's, and how many projects it has. */
export const categoryTag = (category: Pick<CategoryRecord, 'id' | 'version'>, projectCount: number): string =>
  `${versionTag(category)}-${projectCount}`;

/** Whether one of the caller's tags names this version; how many projects it has is not his to change. */
const isNamedBy = (ifMatch: readonly string[], category: CategoryRecord): boolean =>
  ifMatch.some((tag) => tag === '*' || tag.split('-')[0] === versionTag(category));

const SORT_STEP = 10;

const mustNotBeReserved = (slug: string): void => {
  if (isReservedSlug(slug)) throw conflict('CATEGORY_EXISTS', `"${slug}" is a word of the interface itself.`);
};

/** What creating a category takes. */
export interface CreatePorts extends Workshop, SettlePorts {
  readonly allCategories: () => Promise<CategoryRecord[]>;
  readonly insertCategory: (category: CategoryRecord) => Promise<void>;
}

/** A new category, after all others unless it says where. @throws 409 when its slug is taken. */
export const createCategory = async (ports: CreatePorts, body: CategoryBody): Promise<CategoryRecord> => {
  const id = ports.newId('cat');
  const slug = body.slug ?? slugFrom(body.name, id.slice('cat_'.length).toLowerCase());
  mustNotBeReserved(slug);
  const lastOrder = async () => Math.max(0, ...(await ports.allCategories()).map((one) => one.sort_order));
  const at = ports.now();
  const category: CategoryRecord = {
    id,
    slug,
    name: body.name,
    sphere: body.sphere ?? null,
    description: body.description || null,
    icon: body.icon ?? null,
    color: body.color ?? null,
    sort_order: body.sort_order ?? (await lastOrder()) + SORT_STEP,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await settleSlug(ports, slug);
  await ports.insertCategory(category);
  return category;
};

/** What changing categories takes. */
export interface ChangePorts extends Workshop, SettlePorts {
  readonly findCategory: (reference: string) => Promise<CategoryRecord | undefined>;
  /** @throws an error named `CategoryChanged` when one is not as `previous` any more. */
  readonly replaceCategories: (
    steps: readonly { previous: CategoryRecord; next: CategoryRecord }[],
    messages: readonly Message[],
  ) => Promise<void>;
}

const withBody = (current: CategoryRecord, body: CategoryUpdate, at: string): CategoryRecord => ({
  ...current,
  slug: body.slug ?? current.slug,
  name: body.name ?? current.name,
  sphere: body.sphere === undefined ? current.sphere : body.sphere,
  description: body.description === undefined ? current.description : body.description || null,
  icon: body.icon === undefined ? current.icon : body.icon,
  color: body.color === undefined ? current.color : body.color,
  sort_order: body.sort_order ?? current.sort_order,
  updated_at: at,
  version: current.version + 1,
});

/** Changes a category; a changed slug is carried over to its projects. @throws 404, 409, 412. */
export const changeCategory = (
  ports: ChangePorts,
  admin: UserRecord,
  reference: string,
  body: CategoryUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<CategoryRecord> =>
  retried('CategoryChanged', async () => {
    const previous = await ports.findCategory(reference);
    if (!previous) throw notFound();
    if (ifMatch && !isNamedBy(ifMatch, previous)) throw stale();
    const next = withBody(previous, body, ports.now());
    if (next.slug === previous.slug) {
      await ports.replaceCategories([{ previous, next }], []);
      return next;
    }
    mustNotBeReserved(next.slug);
    await settleSlug(ports, next.slug);
    const renamed = { category_id: next.id, from: previous.slug, to: next.slug };
    await ports.replaceCategories([{ previous, next }], [message(ports, 'categoryRenamed', admin.id, renamed)]);
    await ports.carryOver({ from: previous.slug, to: next.slug, categoryId: next.id });
    return next;
  });

/** What ordering categories takes. */
export type ReorderPorts = Pick<ChangePorts, 'now' | 'replaceCategories'> & Pick<CreatePorts, 'allCategories'>;

/** Orders categories, all or none. @throws 400 naming every unknown or repeated id; nothing is written then. */
export const reorderCategories = (
  ports: ReorderPorts,
  order: readonly { id: string; sort_order: number; sphere?: string | null | undefined }[],
): Promise<void> =>
  retried('CategoryChanged', async () => {
    const known = new Map((await ports.allCategories()).map((category) => [category.id, category]));
    const seen = new Set<string>();
    const at = ports.now();
    const steps = order.map((place, position) => {
      const previous = known.get(place.id);
      if (!previous) throw invalidField([position, 'id'], `"${place.id}" is not a category`);
      if (seen.has(place.id)) throw invalidField([position, 'id'], `"${place.id}" is named twice`);
      seen.add(place.id);
      return { previous, next: withBody(previous, { sort_order: place.sort_order, sphere: place.sphere }, at) };
    });
    await ports.replaceCategories(steps, []);
  });

/** What removing a category takes. */
export interface RemovePorts extends Workshop {
  readonly findCategory: ChangePorts['findCategory'];
  readonly removeCategory: (category: CategoryRecord, messages: readonly Message[]) => Promise<void>;
  readonly carryOver: CarryOver;
}

/**
 * Removes a category. Its projects are kept and lose the slug: at once as far as time allows, the rest by a task.
 * @returns its id and how many projects had it. @throws 404.
 */
export const removeCategory = async (
  ports: RemovePorts,
  admin: UserRecord,
  reference: string,
): Promise<{ id: string; projects_updated: number }> => {
  const category = await retried('CategoryChanged', async () => {
    const found = await ports.findCategory(reference);
    if (!found) throw notFound();
    const removed = { category_id: found.id, slug: found.slug };
    await ports.removeCategory(found, [message(ports, 'categoryRemoved', admin.id, removed)]);
    return found;
  });
  const { carrying } = await ports.carryOver({ from: category.slug, to: null, categoryId: category.id });
  return { id: category.id, projects_updated: carrying };
};
