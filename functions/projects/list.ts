import { list } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { cachedResponse } from '#http/response-body.ts';
import { publicPage } from '#services/projects/list.ts';

export const handler = handle(list, async ({ query, user }) => {
  const page = await publicPage(query, user);
  // A response for an authenticated caller may contain fields for owners and administrators only.
  return user ? ok(page.body()) : cachedResponse(list, page.key, page);
});
