import { exportCsv } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { exportProjects } from '#domain/projects/export.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/streaming.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(
  exportCsv,
  { catalog, now },
  async (_call, ports) => {
    const whole = await ports.catalog('now');
    const day = ports.now().slice(0, 'yyyy-mm-dd'.length);
    const headers = { 'content-disposition': `attachment; filename="projects-${day}.csv"` };
    return { status: 200 as const, stream: exportProjects(whole), headers };
  },
  { streaming },
);
