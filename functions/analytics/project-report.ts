import { projectReport } from '#contract/analytics.ts';
import { getReportedProject, readProjectReport } from '#domain/analytics/report.ts';
import { handle, ok } from '#http/handle.ts';
import { projectReportPorts } from '#ports/analytics.ts';

export const handler = handle(
  projectReport,
  projectReportPorts,
  async ({ params, query, user }, ports) => ok({ data: await readProjectReport(ports, user, params.project, query) }),
  {
    permit: async ({ params, user }) => {
      await getReportedProject(projectReportPorts, user, params.project);
    },
  },
);
