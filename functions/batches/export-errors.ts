import { exportErrors } from '#contract/batches.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { exportErrors as errorsOf, getImport } from '#services/projects/batches.ts';

export const handler = handle(
  exportErrors,
  async ({ params }) => {
    const batch = await getImport(params.batch);
    const headers = { 'content-disposition': `attachment; filename="${batch.id}-errors.csv"` };
    return { status: 200 as const, stream: errorsOf(batch), headers };
  },
  [streaming],
);
