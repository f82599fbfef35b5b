import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import PostalMime, { type Address } from 'postal-mime';
import { AwsError } from './aws-error.ts';
import { type FeedbackEvent, feedbackFor } from './mail-simulator.ts';
import type { Storage } from './storage.ts';

/** A mail in the inbox. */
export interface ReceivedMail {
  readonly id: string;
  readonly from: string;
  /** All recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Those of a raw message by name, as sent; a message of `SendEmail` has none of its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sent_at: string;
}

/** A mock of SES that delivers every mail into one inbox. */
export interface MailService {
  /**
   * Handles a request of the SES Query protocol.
   * @returns the body of the response.
   * @throws {AwsError} for requests that SES rejects.
   */
  send(request: URLSearchParams): Promise<string>;
  /** The inbox, newest first. */
  inbox(limit: number): ReceivedMail[];
}

type Draft = Omit<ReceivedMail, 'id' | 'sent_at'>;

const RECIPIENTS_MAX = 50;
const MAILS_MAX = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS inbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, sender TEXT NOT NULL, recipients TEXT NOT NULL, subject TEXT NOT NULL,
    body_text TEXT NOT NULL, body_html TEXT NOT NULL, headers TEXT NOT NULL, sent_at TEXT NOT NULL
  )`;

const missing = (member: string): AwsError =>
  new AwsError(
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

/** @throws {AwsError} when a part of an address is none; nothing beyond ASCII is one. */
const mustBePart = (name: string, part: string, characters: RegExp): void => {
  const problems: Readonly<Record<string, boolean>> = {
    [`Missing ${name.toLowerCase()}`]: part === '',
    [`${name} contains control or whitespace`]: /[^\x21-\x7e]/.test(part),
    [`${name} contains illegal character`]: !characters.test(part),
    [`${name} starts with dot`]: part.startsWith('.'),
    [`${name} ends with dot`]: part.endsWith('.'),
    [`${name} contains dot-dot`]: part.includes('..'),
  };
  const [problem] = Object.entries(problems).find(([, isSo]) => isSo) ?? [];
  if (problem !== undefined) throw new AwsError('InvalidParameterValue', problem);
};

/** @param address with or without a display name. @throws {AwsError} when it is invalid. */
const checkedAddress = (address: string): string => {
  const bare = /<([^<>]*)>\s*$/.exec(address)?.[1] ?? address;
  if (/[\p{Cc}\u2028\u2029]/u.test(address)) {
    throw new AwsError('InvalidParameterValue', 'Address contains control characters.');
  }
  const at = bare.lastIndexOf('@');
  if (at < 0) throw new AwsError('InvalidParameterValue', "Missing final '@domain'");
  mustBePart('Local address', bare.slice(0, at), /^[\w!#$%&'*+/=?^`{|}~.-]+$/);
  mustBePart('Domain', bare.slice(at + 1), /^[a-z\d.-]+$/i);
  return address;
};

const readFormatted = (request: URLSearchParams): Draft => {
  const from = checkedAddress(required(request, 'Source', 'source'));
  const recipients = ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((kind) =>
    members(request, `Destination.${kind}`),
  );
  const subject = required(request, 'Message.Subject.Data', 'message.subject.data');
  const text = request.get('Message.Body.Text.Data');
  const html = request.get('Message.Body.Html.Data');
  if (text === null && html === null) throw new AwsError('InvalidParameterValue', 'Message body is empty.');
  if (/[\r\n]/.test(subject))
    throw new AwsError('InvalidParameterValue', 'Header value contains line breaks: Subject.');
  return { from, to: recipientList(recipients), subject, text: text ?? '', html: html ?? '', headers: {} };
};

/** The addresses of a list without display names. */
const bareAddresses = (list: string): string[] => list.split(', ').map((one) => /<([^<>]*)>\s*$/.exec(one)?.[1] ?? one);

const recipientList = (recipients: readonly string[]): string => {
  if (recipients.length === 0) throw new AwsError('InvalidParameterValue', 'Missing required header: To.');
  if (recipients.length > RECIPIENTS_MAX) {
    throw new AwsError('InvalidParameterValue', `Recipient count exceeds ${RECIPIENTS_MAX}.`);
  }
  return recipients.map(checkedAddress).join(', ');
};

const formatAddress = ({ name, address = '' }: Address): string => {
  if (name === '') return address;
  const displayName = /[",;:<>()@[\]\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name;
  return `${displayName} <${address}>`;
};

const formatAddresses = (list: readonly Address[] = []): string[] =>
  list.flatMap((one) => one.group ?? [one]).map(formatAddress);

/** The parser terminates the last line; lines of messages end with CRLF. */
const withoutLastNewline = (text = ''): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '');

/** The headers of a message by name, unfolded; encoded words as sent. */
const headersOf = (message: Buffer): Readonly<Record<string, string>> => {
  const [head = ''] = message.toString('latin1').split(/\r?\n\r?\n/, 1);
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
};

const readRaw = async (request: URLSearchParams): Promise<Draft> => {
  const bytes = Buffer.from(required(request, 'RawMessage.Data', 'rawMessage.data'), 'base64');
  const mail = await PostalMime.parse(bytes);
  const from = request.get('Source') ?? (mail.from && formatAddress(mail.from));
  if (!from) throw new AwsError('InvalidParameterValue', 'Missing required header: From.');
  const destinations = members(request, 'Destinations');
  const recipients = destinations.length > 0 ? destinations : [mail.to, mail.cc].flatMap(formatAddresses);
  return {
    from: checkedAddress(from),
    to: recipientList(recipients),
    subject: mail.subject ?? '',
    text: withoutLastNewline(mail.text),
    html: withoutLastNewline(mail.html),
    headers: headersOf(bytes),
  };
};

const actions: Readonly<Record<string, (request: URLSearchParams) => Draft | Promise<Draft>>> = {
  SendEmail: readFormatted,
  SendRawEmail: readRaw,
};

interface MailRow {
  readonly id: string;
  readonly sender: string;
  readonly recipients: string;
  readonly subject: string;
  readonly body_text: string;
  readonly body_html: string;
  readonly headers: string;
  readonly sent_at: string;
}

/**
 * Opens the mail service; its state is kept in the journal.
 * @param onFeedback receives bounces and complaints of mail to simulator addresses sent with a configuration set.
 */
export const openMailService = (
  journal: DatabaseSync,
  storage: Storage,
  onFeedback: (event: FeedbackEvent) => void = () => undefined,
): MailService => {
  journal.exec(SCHEMA);
  journal.prepare('DELETE FROM inbox WHERE number <= (SELECT MAX(number) FROM inbox) - ?').run(MAILS_MAX);
  const insert = journal.prepare(
    'INSERT INTO inbox (id, sender, recipients, subject, body_text, body_html, headers, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const newest = journal.prepare('SELECT * FROM inbox ORDER BY number DESC LIMIT ?');
  return {
    send: async (request) => {
      const name = request.get('Action') ?? '';
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) throw new AwsError('InvalidAction', `Could not find operation ${name}.`);
      const draft = await action(request);
      const id = randomUUID();
      storage.write(() =>
        insert.run(
          ...[id, draft.from, draft.to, draft.subject, draft.text, draft.html],
          ...[JSON.stringify(draft.headers), new Date().toISOString()],
        ),
      );
      const configurationSet = request.get('ConfigurationSetName');
      if (configurationSet !== null) feedbackFor(id, bareAddresses(draft.to), configurationSet).forEach(onFeedback);
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
        headers: JSON.parse(row.headers) as Record<string, string>,
        sent_at: row.sent_at,
      })),
  };
};
