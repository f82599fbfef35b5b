import { list } from '#contract/projects.ts';
import { catalogToSearch } from '#data/catalog-to-search.ts';
import { listProjects } from '#domain/projects/list.ts';
import { encodedOnce } from '#http/encoded.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { catalogToSearch }, async ({ query, user }, ports) => {
  const known = await ports.catalogToSearch({ q: query.q, searchIn: 'public' });
  // Who is known may see more of his own listings than others do.
  if (user) return ok(listProjects(known, user, query));
  return encodedOnce(list, known, query, () => listProjects(known, undefined, query));
});
