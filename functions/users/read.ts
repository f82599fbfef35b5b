import { read } from '#contract/users.ts';
import { handle, ok } from '#http/handle.ts';
import { userDossier } from '#services/users/dossier.ts';
import { getUser } from '#services/users/update.ts';

export const handler = handle(read, async ({ params }) => ok({ data: await userDossier(await getUser(params.user)) }));
