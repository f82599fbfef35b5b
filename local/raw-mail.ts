/** What an inbox shows of a mail in wire form. */
export interface RawMail {
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const PARTS_MAX = 100;

const decode = (bytes: Uint8Array, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A charset that nobody knows: most of it is readable as UTF-8.
    return new TextDecoder().decode(bytes);
  }
};

const fromQuotedPrintable = (body: Buffer): Buffer =>
  Buffer.from(
    body
      .toString('latin1')
      .replace(/=[ \t]*\r?\n/g, '')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Reads `=?utf-8?Q?…?=` and `=?utf-8?B?…?=` in a header. */
const decodedWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, encoding: string, content: string) => {
      const bytes =
        encoding.toLowerCase() === 'b'
          ? Buffer.from(content, 'base64')
          : fromQuotedPrintable(Buffer.from(content.replaceAll('_', ' '), 'latin1'));
      return decode(bytes, charset);
    });

const partOf = (bytes: Buffer): Part => {
  const text = bytes.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  const head = end ? text.slice(0, end.index) : text;
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name))
      headers.set(name, Buffer.from(line.slice(colon + 1).trim(), 'latin1').toString('utf8'));
  }
  return { headers, body: end ? bytes.subarray(end.index + end[0].length) : Buffer.alloc(0) };
};

const parameter = (header: string, name: string): string | undefined =>
  new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(header)?.slice(1).find(Boolean);

const partsOf = (body: Buffer, boundary: string): Part[] =>
  body
    .toString('latin1')
    .split(`--${boundary}`)
    .slice(1, PARTS_MAX)
    .filter((piece) => !piece.startsWith('--'))
    .map((piece) => partOf(Buffer.from(piece.replace(/^\r?\n/, '').replace(/\r?\n$/, ''), 'latin1')));

const contentOf = ({ headers, body }: Part, charset: string): string => {
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase();
  if (encoding === 'base64') return decode(Buffer.from(body.toString('latin1'), 'base64'), charset);
  return decode(encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body, charset);
};

/** The first text and the first HTML in a part and what it contains. */
const readableOf = (part: Part, depth = 0): { text?: string; html?: string } => {
  const type = part.headers.get('content-type') ?? 'text/plain';
  const boundary = parameter(type, 'boundary');
  if (/^multipart\//i.test(type) && boundary && depth < 5) {
    const inner = partsOf(part.body, boundary).map((one) => readableOf(one, depth + 1));
    const text = inner.find((one) => one.text !== undefined)?.text;
    const html = inner.find((one) => one.html !== undefined)?.html;
    return { ...(text !== undefined && { text }), ...(html !== undefined && { html }) };
  }
  if (/^attachment/i.test(part.headers.get('content-disposition') ?? '')) return {};
  const charset = parameter(type, 'charset') ?? 'utf-8';
  if (/^text\/html\b/i.test(type)) return { html: contentOf(part, charset) };
  return /^text\/plain\b/i.test(type) ? { text: contentOf(part, charset) } : {};
};

/** Reads a mail in wire form (RFC 5322 with MIME), as far as an inbox shows it. */
export const readRawMail = (bytes: Buffer): RawMail => {
  const mail = partOf(bytes);
  const recipients = ['to', 'cc'].flatMap((name) =>
    (mail.headers.get(name) ?? '').split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/),
  );
  const { text = '', html = '' } = readableOf(mail);
  const from = mail.headers.get('from');
  return {
    from: from === undefined ? undefined : decodedWords(from),
    to: recipients.map((one) => decodedWords(one.trim())).filter((one) => one !== ''),
    subject: decodedWords(mail.headers.get('subject') ?? ''),
    text,
    html,
  };
};
