import type { ReadCatalog } from '#catalog/types.ts';
import { changeProject, type ProjectStore } from '#domain/projects/change.ts';
import { AppError, conflict } from '#shared/errors.ts';

/** A slug that a category has given up, and what the category is called now; null when it is gone. */
export interface SlugChange {
  readonly from: string;
  readonly to: string | null;
  readonly categoryId: string;
}

/**
 * Brings a category's new slug, or its end, to every project that carries the old one.
 * @returns how many projects carried it as far as the catalog knows, and how many of them were changed now.
 */
export type CarryOver = (change: SlugChange) => Promise<{ carrying: number; changed: number }>;

/** What carrying over takes. */
export interface CarryOverPorts extends Pick<ProjectStore, 'findProject'> {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  /**
   * Replaces a project while the slug is still the one that was given up.
   * @throws an error named `SlugTakenOver` when another category has it now.
   */
  readonly replaceWhileLeaving: (change: SlugChange) => ProjectStore['replaceProject'];
}

// All of them look at the claim of the same slug, which DynamoDB lets only so many do at a time.
const AT_ONCE = 8;

const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

/** @returns whether the project still carried the slug. */
const carryOne = async (store: ProjectStore, id: string, { from, to }: SlugChange): Promise<boolean> => {
  let carried = false;
  try {
    await changeProject(store, id, (current) => {
      carried = current.categories.includes(from);
      if (!carried) return { next: current, messages: [] };
      const categories = current.categories.flatMap((slug) => (slug === from ? (to ?? []) : slug));
      return { next: { ...current, categories: [...new Set(categories)] }, messages: [] };
    });
  } catch (error) {
    if (!isGone(error)) throw error;
    return false;
  }
  return carried;
};

const isTakenOver = (error: unknown): boolean => error instanceof Error && error.name === 'SlugTakenOver';

/**
 * Makes the verb. It may run any number of times and from several places at once: each project is changed only while it
 * still carries the old slug.
 * @param budgetMs when to stop and leave the rest to the task that follows every such change.
 * @param leave takes what went wrong where the task will do it again: the change itself has been made, and whoever asked for
 * it must not be told otherwise. Without it errors are thrown.
 */
export const carryOver =
  (ports: CarryOverPorts, budgetMs: number, leave?: (error: unknown) => void): CarryOver =>
  async (change) => {
    const until = performance.now() + budgetMs;
    const store = { findProject: ports.findProject, replaceProject: ports.replaceWhileLeaving(change) };
    const ids = (await ports.catalog('now')).carrying(change.from);
    let changed = 0;
    try {
      for (let start = 0; start < ids.length && performance.now() < until; start += AT_ONCE) {
        const some = ids.slice(start, start + AT_ONCE);
        changed += (await Promise.all(some.map((id) => carryOne(store, id, change)))).filter(Boolean).length;
      }
    } catch (error) {
      // Whoever carries a slug that was taken over carries that of its new category.
      if (isTakenOver(error)) return { carrying: 0, changed: 0 };
      if (!leave) throw error;
      leave(error);
    }
    return { carrying: ids.length, changed };
  };

/** What giving a slug free takes. */
export interface SettlePorts {
  readonly carryOver: CarryOver;
  readonly findLeavingSlug: (slug: string) => Promise<{ categoryId: string; to: string | null } | undefined>;
  readonly releaseSlug: (slug: string, categoryId: string) => Promise<void>;
}

/**
 * Finishes what a removed or renamed category left to do, and gives its old slug free. It may run any number of times;
 * when the slug has come to belong to another category there is nothing left to do.
 * @throws when there are still projects that carry the slug, so that it is tried again.
 */
export const settleSlug = async (ports: SettlePorts, slug: string): Promise<void> => {
  const leaving = await ports.findLeavingSlug(slug);
  if (!leaving) return;
  const change = { from: slug, ...leaving };
  await ports.carryOver(change);
  // The catalog may list what has just been changed; what counts is whether there was anything left to change.
  const { changed } = await ports.carryOver(change);
  if (changed > 0) throw conflict('CATEGORY_EXISTS', `The slug "${slug}" is still being taken from its projects.`);
  await ports.releaseSlug(slug, leaving.categoryId);
};
