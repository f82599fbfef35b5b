import { erase } from '#contract/users.ts';
import { erasePorts } from '#data/erasure.ts';
import { eraseSelf } from '#domain/users/erase.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(erase, erasePorts, async ({ query, user }, ports) =>
  ok({ data: { id: user.id, erased_at: await eraseSelf(ports, user, query.projects) } }),
);
