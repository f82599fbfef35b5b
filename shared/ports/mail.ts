import { usersPartition } from '#data/keys.ts';
import { stopPorts } from '#data/mail-stops.ts';
import { collectionPages } from '#data/read.ts';
import { once } from '#data/receipts.ts';
import { userOf } from '#data/user-items.ts';
import { findUser } from '#data/users.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { sendMail } from '#platform/mail.ts';
import { settings } from '#platform/settings.ts';

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
