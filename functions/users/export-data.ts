import { exportData } from '#contract/users.ts';
import { download, handle } from '#http/handle.ts';
import { streaming } from '#http/middleware/streaming.ts';
import { exportUser } from '#services/users/read.ts';

export const handler = handle(
  exportData,
  async ({ user }) => {
    const { stream, day } = exportUser(user);
    return download(`my-data-${day}.json`, stream);
  },
  [streaming],
);
