import { list } from '#contract/users.ts';
import { listUsers } from '#domain/users/list.ts';
import { handle, ok } from '#http/handle.ts';
import { listPorts } from '#ports/users.ts';

export const handler = handle(list, listPorts, async ({ query }, ports) => ok(await listUsers(ports, query)));
