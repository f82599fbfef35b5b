import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { type Letterhead, written } from '#shared/mail/layout.ts';
import { submissionLetter } from '#shared/mail/submission-letters.ts';

/** What telling takes. */
export interface TellPorts {
  readonly findUser: (userId: string) => Promise<UserRecord | undefined>;
  /** Does the work unless it was done for this event before. */
  readonly once: (subscriber: string, eventId: string, work: () => Promise<void>) => Promise<boolean>;
  readonly sendMail: (mail: { to: string; subject: string; text: string; html: string }) => Promise<void>;
  readonly letterhead: () => Letterhead;
}

/** Mails the submitter what became of his project, once per event. Somebody without an address is not told. */
export const tellSubmitter = async (
  ports: TellPorts,
  event: Message<'projectSubmitted' | 'projectApproved' | 'projectRejected'>,
): Promise<void> => {
  const owner = await ports.findUser(event.data.owner_id);
  const to = owner?.email;
  if (!to) return;
  const head = ports.letterhead();
  await ports.once('mail.tellSubmitter', event.id, () =>
    ports.sendMail({ to, ...written(submissionLetter(event, owner.name, head), head) }),
  );
};
