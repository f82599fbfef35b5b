import { settings } from '#platform/settings.ts';
import { catalog } from './catalog.ts';

/** Ids of projects with the same canonical address as a project, without itself: what administrators are shown. */
export const duplicatesOf = async (project: { readonly id: string; readonly url: string }): Promise<string[]> =>
  (await catalog()).sameUrl(project.url).filter((id) => id !== project.id);

/** Ids of projects that forbid another one with this address; none where duplicates are allowed. */
export const refusedBecauseOf = async (url: string): Promise<readonly string[]> =>
  settings().duplicateUrls === 'reject' ? (await catalog('now')).sameUrl(url) : [];
