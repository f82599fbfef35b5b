import { browse } from '#contract/projects.ts';
import { catalogToSearch } from '#data/catalog-to-search.ts';
import { browseProjects } from '#domain/projects/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(browse, { catalogToSearch }, async ({ query, user }, ports) =>
  ok(browseProjects(await ports.catalogToSearch({ q: query.q, searchIn: 'admin' }), user, query)),
);
