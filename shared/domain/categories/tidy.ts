import type { ReadCatalog } from '#catalog/types.ts';
import { type CarryOver, type SettlePorts, settleSlug } from './carry-over.ts';

/** What taking away slugs of no category takes. */
export interface TidyPorts extends SettlePorts {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  /** Which of some slugs belong to no category. */
  readonly missingCategories: (slugs: readonly string[]) => Promise<string[]>;
  /** Slugs that their categories have given up, and that are not free yet. */
  readonly leavingSlugs: () => Promise<readonly string[]>;
  readonly carryOver: CarryOver;
  readonly report: (problem: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** Nobody's: a slug that was never given up by any category that is known. */
const NOBODY = 'cat_none';

const settleOne = async (ports: TidyPorts, slug: string): Promise<void> => {
  if (await ports.findLeavingSlug(slug)) await settleSlug(ports, slug);
  // Whoever takes the slug for a new category at this very moment keeps its projects: that is asked for with each of them.
  else await ports.carryOver({ from: slug, to: null, categoryId: NOBODY });
};

/**
 * Finishes what removed and renamed categories have left to do, and takes slugs that belong to no category from the projects
 * that carry them. It may run any number of times and at the same time as the changes themselves.
 */
export const tidyCategorySlugs = async (
  ports: TidyPorts,
  until: number,
): Promise<{ slugs_settled: number; failed: number; unfinished: boolean }> => {
  const carried = new Set<string>();
  for (const { project } of (await ports.catalog('now')).all())
    for (const slug of project.categories) carried.add(slug);
  const open = new Set([...(await ports.leavingSlugs()), ...(await ports.missingCategories([...carried]))]);
  let [slugs_settled, failed] = [0, 0];
  for (const slug of open) {
    if (performance.now() > until) return { slugs_settled, failed, unfinished: true };
    try {
      await settleOne(ports, slug);
      slugs_settled += 1;
    } catch (error) {
      failed += 1;
      ports.report('a category slug could not be settled', { slug, error });
    }
  }
  return { slugs_settled, failed, unfinished: false };
};
