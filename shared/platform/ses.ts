import { SESClient, SESServiceException, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { clientSettings, lazily } from './aws.ts';
import { environment } from './environment.ts';
import { type MimeMail, mimeMessage } from './mime.ts';

// Both attempts together take less than the timeout of a subscriber. SES may have sent an email without having responded: a
// repeated request can send it twice, so the timeout is long and there is one repetition only.
const REQUEST_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 2;

const client = lazily(() => new SESClient(clientSettings(REQUEST_TIMEOUT_MS, ATTEMPTS_MAX)));

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
export const sendMail = async (mail: Omit<MimeMail, 'from'>): Promise<void> => {
  const { mailFrom: from, mailConfigurationSet } = environment();
  if (!from) throw new Error('MAIL_FROM is not set.');
  const command = new SendRawEmailCommand({
    Source: from,
    ConfigurationSetName: mailConfigurationSet,
    Destinations: [mail.to],
    RawMessage: { Data: Buffer.from(mimeMessage({ ...mail, from })) },
  });
  try {
    await client().send(command);
  } catch (error) {
    throw error instanceof SESServiceException ? new MailRejected(error.name) : error;
  }
};
