import { projectRollUps } from '#data/analytics-reports.ts';
import { bookmarks } from '#data/bookmarks.ts';
import { catalog } from '#data/catalog.ts';
import { usersPartition } from '#data/keys.ts';
import { wholeCollection } from '#data/read.ts';
import { sendDigest } from '#domain/mail/send-digest.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import type { WeeklyDigest } from '#shared/mail/digest-letters.ts';
import { mailPorts } from './mail.ts';

/** What mailing digests by the clock works with. */
export const digestPorts = {
  ...bookmarks,
  now,
  catalog,
  userIds: async (): Promise<string[]> => {
    const listed = await wholeCollection({
      partition: usersPartition,
      index: 'collection',
      only: ['id', 'collection_sk'],
    });
    return listed.map(({ id }) => String(id));
  },
  findUser: mailPorts.findUser,
  projectRollUps,
  sendDigest: (user: UserRecord, digest: WeeklyDigest): Promise<boolean> => sendDigest(mailPorts, user, digest),
  report: (problem: string, facts: Readonly<Record<string, unknown>>): void => log.warn(problem, facts),
};
