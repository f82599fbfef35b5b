import { list } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { listProjects } from '#domain/projects/list.ts';
import { encodedOnce } from '#http/encoded.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { catalog }, async ({ query, user }, ports) => {
  const known = await ports.catalog();
  // Who is known may see more of his own listings than others do.
  if (user) return ok(listProjects(known, user, query));
  return encodedOnce(list, known, query, () => listProjects(known, undefined, query));
});
