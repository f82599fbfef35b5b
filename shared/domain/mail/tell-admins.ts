import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { webhookDisabledLetter } from '#shared/mail/webhook-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/** What telling all administrators takes. */
export interface AdminPorts extends Omit<PostOffice, 'findUser'> {
  readonly allAdmins: () => AsyncIterable<UserRecord>;
}

/**
 * Mails every administrator that a webhook was switched off, each once per event. One whose mail fails keeps nobody else
 * from his.
 * @throws when one of the mails failed; coming again, the event reaches those who have not been told.
 */
export const tellAdmins = async (ports: AdminPorts, event: Message<'webhookDisabled'>): Promise<void> => {
  const failures: unknown[] = [];
  for await (const user of ports.allAdmins()) {
    try {
      await mailOnce(ports, { user, wish: 'always' }, 'mail.tellAdmins', `${event.id} ${user.id}`, (name, head) =>
        webhookDisabledLetter(event, name, head),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some administrators could not be told.');
};
