import { run } from '#contract/jobs.ts';
import { accepted, handle } from '#http/handle.ts';
import { requestJob } from '#services/jobs/manage.ts';

export const handler = handle(run, async ({ params, user }) =>
  accepted({ data: await requestJob(params.job, user.id) }),
);
