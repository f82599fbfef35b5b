import { browse } from '#contract/projects.ts';
import { catalogToSearch } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { browseProjects } from '#services/projects/list.ts';

export const handler = handle(browse, async ({ query }) =>
  ok(browseProjects(await catalogToSearch({ q: query.q, searchIn: 'admin' }), query)),
);
