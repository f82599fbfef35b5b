import { dossier } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { projectDossier } from '#services/projects/dossier.ts';

export const handler = handle(dossier, async ({ params }) => ok({ data: await projectDossier(params.project) }));
