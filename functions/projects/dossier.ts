import { dossier } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { publishedVersion } from '#model/project.ts';
import { getJudgedProject, projectDossier } from '#services/projects/dossier.ts';

export const handler = handle(dossier, async ({ params }) => {
  const stored = await getJudgedProject(params.project);
  return ok({ data: await projectDossier(stored) }, { version: publishedVersion(stored.project) });
});
