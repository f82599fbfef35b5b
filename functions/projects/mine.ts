import { mine } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { listSubmissions } from '#domain/projects/list.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(mine, { catalog }, async ({ query, user }, ports) =>
  ok(listSubmissions(await ports.catalog(), user, query)),
);
