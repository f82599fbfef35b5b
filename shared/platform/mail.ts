import { SESClient, SESServiceException, SendEmailCommand } from '@aws-sdk/client-ses';
import { requestHandler } from './aws-client.ts';
import { settings } from './settings.ts';

// Both attempts together take less than the timeout of a subscriber. SES may have sent an email without having responded: a
// repeated request can send it twice, so the timeout is long and there is one repetition only.
const REQUEST_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 2;

let client: SESClient | undefined;

/** An email to one recipient. */
interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const utf8 = (value: string) => ({ Charset: 'UTF-8', Data: value });

/** SES did not accept an email. Only the name of its error is kept: its message contains the address and is logged. */
class MailRejected extends Error {
  override readonly name = 'MailRejected';
  /** The name of the SES error. */
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Sends an email. @throws {MailRejected} when SES does not accept it. */
export const sendMail = async (mail: Mail): Promise<void> => {
  const { mailFrom: from, mailConfigurationSet } = settings();
  if (!from) throw new Error('MAIL_FROM is not set.');
  client ??= new SESClient({ requestHandler: requestHandler(REQUEST_TIMEOUT_MS), maxAttempts: ATTEMPTS_MAX });
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
    throw error instanceof SESServiceException ? new MailRejected(error.name) : error;
  }
};
