import type { UserRecord } from '#domain/users/user.ts';
import { sendMail } from '#platform/mail.ts';
import { settings } from '#platform/settings.ts';
import { usersPartition } from './keys.ts';
import { stopPorts } from './mail-stops.ts';
import { collectionPages } from './read.ts';
import { once } from './receipts.ts';
import { userOf } from './user-items.ts';
import { findUser } from './users.ts';

/** All administrators. It walks all users: for what happens rarely and in the background. */
async function* allAdmins(): AsyncGenerator<UserRecord> {
  for await (const items of collectionPages({ partition: usersPartition, index: 'collection' })) {
    yield* items.map(userOf).filter(({ is_admin, is_banned }) => is_admin && !is_banned);
  }
}

/** What everything that sends mail works with. */
export const mailPorts = {
  ...stopPorts,
  findUser,
  allAdmins,
  once,
  sendMail,
  letterhead: () => ({ siteName: settings().siteName, siteUrl: settings().siteUrl }),
};
