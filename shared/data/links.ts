import type { LinkRecord } from '#model/link.ts';
import { linkKey, projectKey } from './keys.ts';
import { findItems, type Item, orNull } from './read.ts';
import { ConditionFailed, exists, transact } from './write.ts';

const linkOf = (item: Item): LinkRecord => ({
  project_id: String(item.project_id),
  url: String(item.url),
  state: item.state as LinkRecord['state'],
  status: typeof item.status === 'number' ? item.status : null,
  checked_at: String(item.checked_at),
  final_url: orNull(item.final_url),
  failed_days: Array.isArray(item.failed_days) ? item.failed_days.map(String) : [],
});

/** Finds the link records of projects, in the order of `projectIds`. */
export const findLinks = async (projectIds: readonly string[]): Promise<(LinkRecord | undefined)[]> =>
  (await findItems(projectIds.map(linkKey))).map((item) => item && linkOf(item));

/** Stores the link record of a project, unless the project is deleted. Of concurrent checks the last write wins. */
export const saveLink = async (link: LinkRecord): Promise<void> => {
  try {
    await transact([
      { check: projectKey(link.project_id), when: exists },
      { put: { ...linkKey(link.project_id), type: 'link', ...link } },
    ]);
  } catch (error) {
    // The project was deleted concurrently.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
