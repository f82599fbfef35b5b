import { list } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { listProjects } from '#domain/projects/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { catalog }, async ({ query, user }, ports) =>
  ok(listProjects(await ports.catalog(), user, query)),
);
