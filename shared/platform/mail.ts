import { SESClient, SESServiceException, SendEmailCommand } from '@aws-sdk/client-ses';
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

/** SES did not accept a mail. It has only the name of the reason: SES's own words repeat the address, and errors are logged. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** The reason's name. */
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Hands a mail over for delivery. @throws when it was not accepted, a {@link MailRefused} when SES says so. */
export const sendMail = async (mail: Mail): Promise<void> => {
  const { mailFrom: from, mailConfigurationSet } = settings();
  if (!from) throw new Error('MAIL_FROM is the sender of all mail and must be set.');
  client ??= new SESClient({});
  const command = new SendEmailCommand({
    Source: from,
    ConfigurationSetName: mailConfigurationSet,
    Destination: { ToAddresses: [mail.to] },
    Message: {
      Subject: utf8(mail.subject),
      Body: { Text: utf8(mail.text), Html: utf8(mail.html) },
    },
  });
  try {
    await client.send(command);
  } catch (error) {
    throw error instanceof SESServiceException ? new MailRefused(error.name) : error;
  }
};
