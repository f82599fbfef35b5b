import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { settings } from './settings.ts';

let client: SESClient | undefined;

/** A mail to one person, in both forms. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const utf8 = (value: string) => ({ Charset: 'UTF-8', Data: value });

/** A mail was not accepted. It has only the name of the reason: the words of SES repeat the address, and errors are logged. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** Hands a mail over for delivery. @throws {MailRefused} when it was not accepted. */
export const sendMail = async (mail: Mail): Promise<void> => {
  const from = settings().mailFrom;
  if (!from) throw new Error('MAIL_FROM is the sender of all mail and must be set.');
  client ??= new SESClient({});
  const command = new SendEmailCommand({
    Source: from,
    Destination: { ToAddresses: [mail.to] },
    Message: {
      Subject: utf8(mail.subject),
      Body: { Text: utf8(mail.text), Html: utf8(mail.html) },
    },
  });
  try {
    await client.send(command);
  } catch (error) {
    throw new MailRefused(error instanceof Error ? error.name : 'unknown');
  }
};
