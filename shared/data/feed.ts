import type { CatalogChange } from '#catalog/types.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { categoryOf } from './category-items.ts';
import { checkedCategory, checkedCounts, checkedId, checkedProject } from './feed-checks.ts';
import { feedPartition } from './keys.ts';
import { countsOf, projectOf } from './project-items.ts';
import { collectionPages, type Item } from './read.ts';

/** The feed: every card, counter and category by the time of its last change. It is what catalogs are made from. */

const changeOf = (item: Item): CatalogChange => {
  switch (item.type) {
    case 'project':
      return { kind: 'project', project: checkedProject(projectOf(item)) };
    case 'counts':
      return { kind: 'counts', projectId: checkedId(item.project_id), counts: checkedCounts(countsOf(item)) };
    case 'projectRemoved':
      return {
        kind: 'projectRemoved',
        projectId: checkedId(item.project_id),
        ...(typeof item.version === 'number' && { version: item.version }),
      };
    case 'category':
      return { kind: 'category', category: checkedCategory(categoryOf(item)) };
    case 'categoryRemoved':
      return { kind: 'categoryRemoved', categoryId: checkedId(item.category_id) };
    default:
      throw new Error(`The feed has an item of an unknown type: ${String(item.type)}.`);
  }
};

/** A page of the feed: its changes, and the time of the last of them. */
export interface FeedPage {
  readonly changes: readonly CatalogChange[];
  /** ISO 8601 in UTC with milliseconds; empty where none of its items bears a time. */
  readonly changedAt: string;
}

const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** When an item was changed; empty for one that bears no time. */
const timeOf = (item: Item): string => {
  const stamp = String(item.feed_sk).slice(0, TIME_LENGTH);
  return Number.isNaN(Date.parse(stamp)) ? '' : stamp;
};

/**
 * Walks the feed from a time on, oldest first. An item that cannot be read is skipped, counted and logged: one poisoned
 * item must not take every list away.
 */
export async function* feedSince(changedAt: string | undefined): AsyncGenerator<FeedPage> {
  const pages = collectionPages({
    partition: feedPartition,
    index: 'feed',
    ...(changedAt !== undefined && { after: changedAt }),
  });
  for await (const items of pages) {
    const changes: CatalogChange[] = [];
    for (const item of items) {
      try {
        changes.push(changeOf(item));
      } catch (error) {
        count('CatalogItemSkipped');
        log.error('an item of the feed cannot be read and is skipped', {
          pk: item.pk,
          sk: item.sk,
          error: error as Error,
        });
      }
    }
    yield { changes, changedAt: timeOf(items.findLast((item) => timeOf(item) !== '') ?? {}) };
  }
}
