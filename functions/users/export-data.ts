import { exportData } from '#contract/users.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { now } from '#platform/clock.ts';
import { exportUser } from '#services/users/export.ts';

export const handler = handle(
  exportData,
  async ({ user }) => {
    const day = now().slice(0, 'yyyy-mm-dd'.length);
    const headers = { 'content-disposition': `attachment; filename="my-data-${day}.json"` };
    return { status: 200 as const, stream: exportUser(user), headers };
  },
  [streaming],
);
