import { purge } from '#contract/projects.ts';
import { purgeProject } from '#domain/projects/moderate.ts';
import { handle, ok } from '#http/handle.ts';
import { removePorts } from '#ports/projects.ts';

export const handler = handle(purge, removePorts, async ({ params, user }, ports) =>
  ok({ data: { id: await purgeProject(ports, user, params.project), deleted: true } }),
);
