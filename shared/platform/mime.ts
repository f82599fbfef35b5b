import { randomBytes } from 'node:crypto';

/** A mail with a plain and an HTML part. */
export interface MimeMail {
  /** With or without a display name. */
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Further headers of ASCII characters. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What fits into an encoded word of 75 characters (RFC 2047), in bytes. */
const WORD_BYTES = 45;

const isPrintableAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** A text in a header; beyond ASCII as encoded words, none of which splits a character. */
const headerText = (text: string): string => {
  if (isPrintableAscii(text)) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join('\r\n ');
};

/** An address whose display name may have characters beyond ASCII. */
const headerAddress = (address: string): string => {
  const [, name = '', bare = ''] = /^(.*?)\s*(<[^<>]+>)$/.exec(address) ?? [];
  return bare === '' || isPrintableAscii(name) ? address : `${headerText(name.replace(/^"(.*)"$/, '$1'))} ${bare}`;
};

const headerLine = (name: string, value: string): string => {
  if (/[\r\n]/.test(value.replaceAll('\r\n ', ''))) throw new Error(`The header ${name} has a line break.`);
  return `${name}: ${value}`;
};

const part = (type: string, content: string): readonly string[] => [
  `Content-Type: ${type}; charset=utf-8`,
  'Content-Transfer-Encoding: base64',
  '',
  ...(Buffer.from(content.replace(/\r?\n/g, '\r\n'))
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
];

/** The message (RFC 5322) of a mail: `SendEmail` of SES takes no headers, `SendRawEmail` takes a message. */
export const mimeMessage = ({ from, to, subject, text, html, headers = {} }: MimeMail): string => {
  const boundary = randomBytes(18).toString('hex');
  return [
    headerLine('From', headerAddress(from)),
    headerLine('To', to),
    headerLine('Subject', headerText(subject)),
    ...Object.entries(headers).map(([name, value]) => headerLine(name, value)),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    ...part('text/plain', text),
    `--${boundary}`,
    ...part('text/html', html),
    `--${boundary}--`,
    '',
  ].join('\r\n');
};
