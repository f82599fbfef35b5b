import { exportCsv } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';

import { now } from '#platform/clock.ts';
import { exportProjects } from '#services/projects/export.ts';

export const handler = handle(exportCsv, async () => {
  const projects = await catalog('now');
  const day = now().slice(0, 'yyyy-mm-dd'.length);
  const headers = { 'content-disposition': `attachment; filename="projects-${day}.csv"` };
  return { status: 200 as const, stream: exportProjects(projects), headers };
}, [streaming]);
