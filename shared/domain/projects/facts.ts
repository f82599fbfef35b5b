import type { MessageData } from '#events/catalogue.ts';
import type { ProjectRecord } from './project.ts';

/** What events say of a project. */
export const factsOf = (project: ProjectRecord): MessageData<'projectSubmitted'> => ({
  project_id: project.id,
  slug: project.slug,
  name: project.name,
  url: project.url,
  plan: project.plan,
  status: project.status,
  owner_id: project.owner_id,
});
