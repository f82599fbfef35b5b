import type { Bookmarked } from '#contract/bookmarks.ts';
import { bookmarksBy, deleteBookmark, insertBookmark } from '#data/bookmarks.ts';
import { catalog } from '#data/catalog.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { findProject } from '#data/projects.ts';
import { canSee, isOpen } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { listingFor } from '#services/projects/fragments.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { fittingFragments } from '#services/projects/short-listings.ts';
import { notFound } from '#shared/errors.ts';

/** Bookmarks a project; idempotent. @throws 404 unless it is open; 409 when the user has too many bookmarks. */
export const addBookmark = async (user: UserRecord, reference: string): Promise<Bookmarked> => {
  const { project } = await getOpenProject(reference);
  await insertBookmark(user.id, project.id);
  return { bookmarked: true };
};

/**
 * Removes a bookmark; idempotent. @throws 404 for a project that was never public and that the user does not see, and for a purged
 * one without a bookmark.
 */
export const removeBookmark = async (user: UserRecord, reference: string): Promise<Bookmarked> => {
  const project = (await findProject(reference))?.project;
  const hadBookmark = await deleteBookmark(user.id, project?.id ?? reference);
  const mayKnow = project !== undefined && (project.published_at !== null || canSee(project, user));
  if (!hadBookmark && !mayKnow) throw notFound();
  return { bookmarked: false };
};

/** The live projects that a user has bookmarked, the last bookmarked first. */
export const listBookmarks = async (user: UserRecord, query: Paging) => {
  const [bookmarks, projects] = await Promise.all([bookmarksBy(user.id), catalog()]);
  const live = bookmarks.flatMap(({ project_id }) => {
    const entry = projects.find(project_id);
    return entry && isOpen(entry.project) ? [entry] : [];
  });
  const { data, meta } = pageOf(live, query);
  return { data: fittingFragments(data.map((entry) => listingFor(entry, user))), meta };
};
