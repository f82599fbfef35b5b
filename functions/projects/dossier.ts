import { dossier } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { readDossier } from '#services/projects/dossier.ts';

export const handler = handle(dossier, async ({ params, user }) => {
  const { data, version } = await readDossier(user, params.project);
  return ok({ data }, { version });
});
