/** A mail's parts before they become text and HTML: both forms say the same. */
export interface Letter {
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Words of somebody else, set apart. */
  readonly quote?: string | null;
  /** Things with a name and an address each. */
  readonly list?: readonly { readonly name: string; readonly url: string; readonly note: string }[];
  readonly link?: { readonly label: string; readonly url: string };
  /** Why the reader gets this, and how he stops it. */
  readonly reason: string;
}

/** What every mail of a directory has in common. */
export interface Letterhead {
  readonly siteName: string;
  readonly siteUrl: string;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (value: string): string => value.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

const withBreaks = (value: string): string => escaped(value).replace(/\n/g, '<br>');

// Line ends in any alphabet would begin another header; marks that turn the direction of writing would make a subject look
// like another one.
const UNFIT_FOR_HEADERS = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const SUBJECT_MAX = 200;

/** A header must stay on one line, whatever stands in the names that it is made of. */
const oneLine = (value: string): string =>
  [...value.replace(UNFIT_FOR_HEADERS, ' ').trim()].slice(0, SUBJECT_MAX).join('');

const textOf = (letter: Letter, head: Letterhead): string =>
  [
    letter.greeting,
    ...letter.paragraphs,
    ...(letter.quote ? [letter.quote.replace(/^/gm, '> ')] : []),
    ...(letter.list ?? []).map(({ name, url, note }) => `* ${name}\n  ${note}\n  ${url}`),
    ...(letter.link ? [`${letter.link.label}: ${letter.link.url}`] : []),
    `-- \n${head.siteName}\n${head.siteUrl}\n${letter.reason}`,
  ].join('\n\n');

// Mail clients drop style sheets and much of modern CSS: plain tables and inline styles are what all of them show.
const htmlOf = (letter: Letter, head: Letterhead): string => {
  const paragraph = (content: string) => `<p style="margin:0 0 16px;line-height:1.5">${content}</p>`;
  const quote = letter.quote
    ? `<blockquote style="margin:0 0 16px;padding:8px 16px;border-left:4px solid #cbd5e1;color:#334155">${withBreaks(letter.quote)}</blockquote>`
    : '';
  const link = letter.link
    ? `<p style="margin:24px 0"><a href="${escaped(letter.link.url)}" style="background:#1d4ed8;color:#ffffff;padding:10px 18px;border-radius:6px;text-decoration:none">${escaped(letter.link.label)}</a></p>`
    : '';
  const list = (letter.list ?? [])
    .map(
      ({ name, url, note }) =>
        `<p style="margin:0 0 16px;line-height:1.5"><a href="${escaped(url)}" style="color:#1d4ed8;font-weight:bold">${escaped(name)}</a><br>${escaped(note)}</p>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(letter.subject)}</title></head>
<body style="margin:0;padding:0;background:#f1f5f9;font-family:Arial,Helvetica,sans-serif;color:#0f172a">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border-radius:8px"><tr><td style="padding:32px">
${paragraph(escaped(letter.greeting))}
${letter.paragraphs.map((words) => paragraph(withBreaks(words))).join('\n')}
${quote}${list}${link}
<p style="margin:32px 0 0;font-size:13px;color:#64748b"><a href="${escaped(head.siteUrl)}" style="color:#64748b">${escaped(head.siteName)}</a><br>${escaped(letter.reason)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
};

/** The mail in both forms. */
export const written = (letter: Letter, head: Letterhead): { subject: string; text: string; html: string } => {
  const tidy = { ...letter, subject: oneLine(letter.subject) };
  return { subject: tidy.subject, text: textOf(tidy, head), html: htmlOf(tidy, head) };
};
