import { exportCsv } from '#contract/projects.ts';
import { download, handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { exportProjects } from '#services/projects/export.ts';

export const handler = handle(
  exportCsv,
  async ({ query }) => {
    const { stream, day } = await exportProjects({ isMarked: query.bom === true });
    return download(`projects-${day}.csv`, stream);
  },
  [streaming],
);
