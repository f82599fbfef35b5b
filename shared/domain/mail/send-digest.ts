import type { UserRecord } from '#domain/users/user.ts';
import { digestLetter, type WeeklyDigest } from '#shared/mail/digest-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/**
 * Mails a user what the week has brought, once per week. A week that has brought nothing, to somebody without listings, is not written about.
 * @returns whether the mail was sent now.
 * @throws when it was not accepted; the same call then tries again.
 */
export const sendDigest = async (
  office: Omit<PostOffice, 'findUser'>,
  user: UserRecord,
  digest: WeeklyDigest,
): Promise<boolean> => {
  if (digest.projects.length === 0 && (digest.own ?? []).length === 0) return false;
  return await mailOnce(
    office,
    { user, wish: 'weekly_digest' },
    'mail.weeklyDigest',
    `${user.id} ${digest.week}`,
    (name, head) => digestLetter(digest, name, head),
  );
};
