import type { Notifications } from '#contract/users.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { type Letter, type Letterhead, written } from '#shared/mail/layout.ts';

/** What every mail takes. */
export interface PostOffice {
  readonly findUser: (userId: string) => Promise<UserRecord | undefined>;
  /** Does the work unless it was done for this occasion before. */
  readonly once: (subscriber: string, occasion: string, work: () => Promise<void>) => Promise<boolean>;
  /** Whether an address takes mail; false for one that mail came back from for good, or whose owner has complained. */
  readonly takesMail: (address: string) => Promise<boolean>;
  /** Counts a mail that was not sent because its address takes none. */
  readonly reportWithheld: (subscriber: string) => void;
  /** @throws when the mail was not accepted. */
  readonly sendMail: (mail: { to: string; subject: string; text: string; html: string }) => Promise<void>;
  readonly letterhead: () => Letterhead;
}

/** One address and nothing that could make it several, or another header. */
const ONE_ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]+@[^\s\p{Cc}<>(),;:"[\]\\@]+$/u;

/** Where a user gets his mail; undefined for somebody who is gone or has no address that could be written to. */
const addressOf = (user: UserRecord): string | undefined =>
  user.email !== null && user.erased_at === null && ONE_ADDRESS.test(user.email) ? user.email : undefined;

/** Who wants to read something, and where. */
export interface Reader {
  readonly user: UserRecord;
  /** Which mails he can have switched off; `always` for those that nobody can. */
  readonly wish: keyof Notifications | 'always';
}

/**
 * Mails a letter once per occasion. Somebody without an address, or who does not want such mails, is not written to,
 * nor is an address that takes none.
 * @returns whether the mail was sent now.
 * @throws when it was not accepted; the same call then tries again.
 */
export const mailOnce = async (
  office: Omit<PostOffice, 'findUser'>,
  { user, wish }: Reader,
  subscriber: string,
  occasion: string,
  letter: (name: string | null, head: Letterhead) => Letter,
): Promise<boolean> => {
  const to = addressOf(user);
  // A record of an earlier version has no wishes: then everything is wanted.
  const wants = wish === 'always' || (user.notifications as Partial<Notifications> | undefined)?.[wish] !== false;
  if (to === undefined || !wants) return false;
  const head = office.letterhead();
  let sent = false;
  await office.once(subscriber, occasion, async () => {
    if (!(await office.takesMail(to))) {
      office.reportWithheld(subscriber);
      return;
    }
    await office.sendMail({ to, ...written(letter(user.name, head), head) });
    sent = true;
  });
  return sent;
};
