import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AwsFailure } from './aws-failure.ts';
import { type MailNews, newsOfMail } from './mail-simulator.ts';
import { readRawMail } from './raw-mail.ts';

/** A mail as it lies in the inbox. */
export interface ReceivedMail {
  readonly id: string;
  readonly from: string;
  /** All recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly sent_at: string;
}

/** A mail service that delivers everything into one inbox. */
export interface MailService {
  /**
   * Answers a request of SES's Query protocol.
   * @returns the body of the answer.
   * @throws {AwsFailure} for what SES refuses.
   */
  send(request: URLSearchParams): string;
  /** The inbox, newest first. */
  inbox(limit: number): ReceivedMail[];
}

type Draft = Omit<ReceivedMail, 'id' | 'sent_at'>;

const RECIPIENTS_MAX = 50;
const KEPT = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS mails (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, sender TEXT NOT NULL, recipients TEXT NOT NULL, subject TEXT NOT NULL,
    body_text TEXT NOT NULL, body_html TEXT NOT NULL, sent_at TEXT NOT NULL
  )`;

const missing = (member: string): AwsFailure =>
  new AwsFailure(
    'ValidationError',
    `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );

const required = (request: URLSearchParams, name: string, member: string): string => {
  const value = request.get(name);
  if (value === null) throw missing(member);
  return value;
};

const members = (request: URLSearchParams, list: string): string[] => {
  const values: string[] = [];
  for (let position = 1; ; position += 1) {
    const value = request.get(`${list}.member.${position}`);
    if (value === null) return values;
    values.push(value);
  }
};

/** @throws {AwsFailure} for what cannot be an address, with or without a name in front. */
const checkedAddress = (address: string): string => {
  const bare = /<([^<>]*)>\s*$/.exec(address)?.[1] ?? address;
  if (/[\p{Cc}\u2028\u2029]/u.test(address)) {
    throw new AwsFailure('InvalidParameterValue', 'Address contains control characters.');
  }
  if (!bare.includes('@')) throw new AwsFailure('InvalidParameterValue', "Missing final '@domain'");
  if (!/^[\x21-\x7e]+@[^\s@.,;:<>()[\]\\"]+(?:\.[^\s@.,;:<>()[\]\\"]+)*$/.test(bare)) {
    throw new AwsFailure('InvalidParameterValue', 'Illegal address');
  }
  return address;
};

const formatted = (request: URLSearchParams): Draft => {
  const from = checkedAddress(required(request, 'Source', 'source'));
  const recipients = ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((kind) =>
    members(request, `Destination.${kind}`),
  );
  const subject = required(request, 'Message.Subject.Data', 'message.subject.data');
  const text = request.get('Message.Body.Text.Data');
  const html = request.get('Message.Body.Html.Data');
  if (text === null && html === null) throw new AwsFailure('InvalidParameterValue', 'Message body is empty.');
  if (/[\r\n]/.test(subject))
    throw new AwsFailure('InvalidParameterValue', 'Header value contains line breaks: Subject.');
  return { from, to: addressed(recipients), subject, text: text ?? '', html: html ?? '' };
};

/** The addresses of a list without the names in front of them. */
const bareAddresses = (list: string): string[] => list.split(', ').map((one) => /<([^<>]*)>\s*$/.exec(one)?.[1] ?? one);

const addressed = (recipients: readonly string[]): string => {
  if (recipients.length === 0) throw new AwsFailure('InvalidParameterValue', 'Missing required header: To.');
  if (recipients.length > RECIPIENTS_MAX) {
    throw new AwsFailure('InvalidParameterValue', `Recipient count exceeds ${RECIPIENTS_MAX}.`);
  }
  return recipients.map(checkedAddress).join(', ');
};

const raw = (request: URLSearchParams): Draft => {
  const bytes = Buffer.from(required(request, 'RawMessage.Data', 'rawMessage.data'), 'base64');
  const mail = readRawMail(bytes);
  const from = request.get('Source') ?? mail.from;
  if (!from) throw new AwsFailure('InvalidParameterValue', 'Missing required header: From.');
  const destinations = members(request, 'Destinations');
  return { ...mail, from: checkedAddress(from), to: addressed(destinations.length > 0 ? destinations : mail.to) };
};

const actions: Readonly<Record<string, (request: URLSearchParams) => Draft>> = {
  SendEmail: formatted,
  SendRawEmail: raw,
};

interface MailRow {
  readonly id: string;
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly body_text: string;
  readonly body_html: string;
  readonly sent_at: string;
}

/**
 * Opens the mail service on its journal.
 * @param tell is told what became of mail to the mailboxes for rehearsals that was sent with a configuration set.
 */
export const openMailService = (
  journal: DatabaseSync,
  tell: (news: MailNews) => void = () => undefined,
): MailService => {
  journal.exec(SCHEMA);
  journal.prepare('DELETE FROM mails WHERE number <= (SELECT MAX(number) FROM mails) - ?').run(KEPT);
  const insert = journal.prepare(
    'INSERT INTO mails (id, sender, recipients, subject, body_text, body_html, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const newest = journal.prepare('SELECT * FROM mails ORDER BY number DESC LIMIT ?');
  return {
    send: (request) => {
      const name = request.get('Action') ?? '';
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) throw new AwsFailure('InvalidAction', `Could not find operation ${name}.`);
      const draft = action(request);
      const id = randomUUID();
      insert.run(id, draft.from, draft.to, draft.subject, draft.text, draft.html, new Date().toISOString());
      const configurationSet = request.get('ConfigurationSetName');
      if (configurationSet !== null) newsOfMail(id, bareAddresses(draft.to), configurationSet).forEach(tell);
      return [
        `<${name}Response xmlns="http://ses.amazonaws.com/doc/2010-12-01/">`,
        `<${name}Result><MessageId>${id}</MessageId></${name}Result>`,
        `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`,
        `</${name}Response>`,
      ].join('');
    },
    inbox: (limit) =>
      (newest.all(limit) as unknown as MailRow[]).map((row) => ({
        id: row.id,
        from: row.sender,
        to: row.recipients,
        subject: row.subject,
        text: row.body_text,
        html: row.body_html,
        sent_at: row.sent_at,
      })),
  };
};
