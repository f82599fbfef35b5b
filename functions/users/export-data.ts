import { exportData } from '#contract/users.ts';
import { belongingsOf, exportedLists } from '#data/user-export.ts';
import { exportUser } from '#domain/users/export.ts';
import { handle } from '#http/handle.ts';
import { streaming } from '#http/streaming.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(
  exportData,
  { now, belongingsOf, exportedLists },
  async ({ user }, ports) => {
    const day = ports.now().slice(0, 'yyyy-mm-dd'.length);
    const headers = { 'content-disposition': `attachment; filename="my-data-${day}.json"` };
    return { status: 200 as const, stream: exportUser(ports, user), headers };
  },
  { streaming },
);
