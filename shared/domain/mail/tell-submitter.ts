import type { Message } from '#events/catalogue.ts';
import { submissionLetter } from '#shared/mail/submission-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/** Mails the submitter what became of his project, once per event. What moderation decided he is told in any case. */
export const tellSubmitter = async (
  office: PostOffice,
  event: Message<'projectSubmitted' | 'projectApproved' | 'projectRejected'>,
): Promise<void> => {
  const user = await office.findUser(event.data.owner_id);
  if (!user) return;
  const wish = event.kind === 'projectSubmitted' ? 'submission_received' : 'always';
  await mailOnce(office, { user, wish }, 'mail.tellSubmitter', event.id, (name, head) =>
    submissionLetter(event, name, head),
  );
};
