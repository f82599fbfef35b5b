import { list } from '#contract/projects.ts';
import { catalogToSearch } from '#data/catalog.ts';
import { cachedReply } from '#http/encoded.ts';
import { handle, ok } from '#http/handle.ts';
import { listProjects } from '#services/projects/list.ts';

export const handler = handle(list, async ({ query, user }) => {
  const listings = await catalogToSearch({ q: query.q, searchIn: 'public' });
  // A response for an authenticated caller may contain fields for owners and administrators only.
  if (user) return ok(listProjects(listings, user, query));
  return cachedReply(list, listings, query, () => listProjects(listings, undefined, query));
});
