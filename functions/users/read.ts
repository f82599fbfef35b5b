import { read } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { userDossier } from '#services/users/read.ts';
import { getUser } from '#services/users/update.ts';

export const handler = handle(read, async ({ params }) => ok({ data: await userDossier(await getUser(params.user)) }));
