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

/** Hands a mail over for delivery. @throws when it was not accepted. */
export const sendMail = async (mail: Mail): Promise<void> => {
  const from = settings().mailFrom;
  if (!from) throw new Error('MAIL_FROM is the sender of all mail and must be set.');
  client ??= new SESClient({});
  await client.send(
    new SendEmailCommand({
      Source: from,
      Destination: { ToAddresses: [mail.to] },
      Message: {
        Subject: utf8(mail.subject),
        Body: { Text: utf8(mail.text), Html: utf8(mail.html) },
      },
    }),
  );
};
