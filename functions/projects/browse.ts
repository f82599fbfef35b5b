import { browse } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { browseProjects } from '#domain/projects/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(browse, { catalog }, async ({ query, user }, ports) =>
  ok(browseProjects(await ports.catalog(), user, query)),
);
