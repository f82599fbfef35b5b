import { file } from '#contract/reports.ts';
import { created, handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { fileReport } from '#services/reports.ts';

export const handler = handle(
  file,
  async ({ params, body, user, seed }) => {
    const { report, isFirst } = await fileReport(user, params.project, body, seed);
    return isFirst ? created({ data: report }) : ok({ data: report });
  },
  [authorize(({ params }) => getOpenProject(params.project)), idempotency],
);
