import { update } from '#contract/users.ts';
import { adminView } from '#domain/users/list.ts';
import { decideOnUser } from '#domain/users/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { managePorts } from '#ports/users.ts';

export const handler = handle(update, managePorts, async ({ params, body, user }, ports) => {
  const decided = await decideOnUser(ports, user, params.user, body);
  return ok({ data: adminView(await ports.catalog(), decided) });
});
