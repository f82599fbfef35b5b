import type { ReadCatalog } from '#catalog/types.ts';
import { changeProject, type ProjectStore } from '#domain/projects/change.ts';
import { AppError } from '#shared/errors.ts';

/** A slug that a category has given up, and what the category is called now; null when it is gone. */
export interface SlugChange {
  readonly from: string;
  readonly to: string | null;
  readonly categoryId: string;
}

/**
 * Brings a category's new slug, or its end, to every project that carries the old one.
 * @returns how many projects carried it.
 */
export type CarryOver = (change: SlugChange) => Promise<number>;

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

const carryOne = async (store: ProjectStore, id: string, { from, to }: SlugChange): Promise<void> => {
  try {
    await changeProject(store, id, (current) => {
      if (!current.categories.includes(from)) return { next: current, messages: [] };
      const categories = current.categories.flatMap((slug) => (slug === from ? (to ?? []) : slug));
      return { next: { ...current, categories: [...new Set(categories)] }, messages: [] };
    });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
};

const isTakenOver = (error: unknown): boolean => error instanceof Error && error.name === 'SlugTakenOver';

/**
 * Makes the verb. It may run any number of times and from several places at once: each project is changed only while it
 * still carries the old slug.
 * @param budgetMs when to stop and leave the rest to the task that follows every such change.
 */
export const carryOver =
  (ports: CarryOverPorts, budgetMs: number): CarryOver =>
  async (change) => {
    const until = performance.now() + budgetMs;
    const store = { findProject: ports.findProject, replaceProject: ports.replaceWhileLeaving(change) };
    const ids = (await ports.catalog('now')).carrying(change.from);
    try {
      for (let start = 0; start < ids.length && performance.now() < until; start += AT_ONCE) {
        await Promise.all(ids.slice(start, start + AT_ONCE).map((id) => carryOne(store, id, change)));
      }
    } catch (error) {
      // Whoever carries the slug now carries that of its new category.
      if (!isTakenOver(error)) throw error;
      return 0;
    }
    return ids.length;
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
  const left = await ports.carryOver(change);
  if (left > 0) throw new Error(`${left} projects still carry the category slug "${slug}".`);
  await ports.releaseSlug(slug, leaving.categoryId);
};
