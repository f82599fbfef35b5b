import { bulk } from '#contract/projects.ts';
import { changeInBulk } from '#domain/projects/bulk.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(bulk, changePorts, async ({ body, user }, ports) =>
  ok({ data: await changeInBulk(ports, user, body) }),
);
