import type { LinkRecord } from '#domain/links/link.ts';
import { exists } from './conditions.ts';
import { linkKey, projectKey } from './keys.ts';
import { findItems, type Item } from './read.ts';
import { ConditionFailed, transact } from './write.ts';

const linkOf = (item: Item): LinkRecord => ({
  project_id: String(item.project_id),
  url: String(item.url),
  state: item.state as LinkRecord['state'],
  status: typeof item.status === 'number' ? item.status : null,
  checked_at: String(item.checked_at),
  failed_days: Array.isArray(item.failed_days) ? item.failed_days.map(String) : [],
});

/** What is known about the links of some projects, in their order. */
export const findLinks = async (projectIds: readonly string[]): Promise<(LinkRecord | undefined)[]> =>
  (await findItems(projectIds.map(linkKey))).map((item) => item && linkOf(item));

/** Keeps what is known about the link of a project that is there. Of two checks at once the later one stays. */
export const keepLink = async (link: LinkRecord): Promise<void> => {
  try {
    await transact([
      { check: projectKey(link.project_id), when: exists },
      { put: { ...linkKey(link.project_id), type: 'link', ...link } },
    ]);
  } catch (error) {
    // The project is gone, and nobody asks for its link any more.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
