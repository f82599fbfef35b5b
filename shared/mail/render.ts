import { firstCharacters } from '#model/characters.ts';

/** The first line of an email. */
export const greetingTo = (name: string | null): string => (name ? `Hello ${name},` : 'Hello,');

export const projectUrl = (branding: Branding, slugOrId: string): string =>
  `${branding.siteUrl}/projects/${encodeURIComponent(slugOrId)}`;

/** The footer of emails that the recipient can switch off. */
export const withOptOut = (reason: string): string =>
  `${reason} You can turn off these emails in the settings of your account.`;

/** A UTC day, such as `20 November 2026 (UTC)`. */
export const formatDate = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time)).concat(' (UTC)');

/** A time in UTC, such as `20 November 2026 at 09:30 UTC`. */
export const formatTime = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
    .format(new Date(time))
    .concat(' UTC');

interface Entry {
  readonly name: string;
  readonly url: string;
  readonly note: string;
}

interface Link {
  readonly label: string;
  readonly url: string;
}

/** The content of an email, rendered as plain text and as HTML. */
export interface EmailContent {
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Text written by a user, shown as a quotation after the paragraphs. */
  readonly quote?: string | null;
  /** Paragraphs after the quotation. */
  readonly closing?: readonly string[];
  readonly list?: readonly Entry[];
  /** Further lists, each with a title. */
  readonly sections?: readonly { readonly title: string; readonly list: readonly Entry[]; readonly link?: Link }[];
  readonly link?: Link;
  /** Footer: why the recipient gets the email and how to unsubscribe. */
  readonly reason: string;
}

/** Name and address of the site, shown in every email. */
export interface Branding {
  readonly siteName: string;
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly features?: { readonly site: boolean };
}

/** The link to the account of the recipient; none where the pages of the service are off. */
export const accountLink = ({ siteUrl, features }: Branding): Pick<EmailContent, 'link'> =>
  features?.site ? { link: { label: 'Go to your account', url: `${siteUrl}/me` } } : {};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

const withBreaks = (value: string): string => escapeHtml(value).replace(/\n/g, '<br>');

// Line breaks (of any script) would start another header; bidirectional controls can disguise a subject.
const UNSAFE_IN_HEADER = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const SUBJECT_MAX = 200;

const headerValue = (value: string): string =>
  firstCharacters(value.replace(UNSAFE_IN_HEADER, ' ').trim(), SUBJECT_MAX);

const entryText = ({ name, url, note }: Entry): string => `* ${name}\n  ${note}\n  ${url}`;

const linkText = ({ label, url }: Link): string => `${label}: ${url}`;

const textOf = (content: EmailContent, branding: Branding): string =>
  [
    content.greeting,
    ...content.paragraphs,
    ...(content.quote ? [content.quote.replace(/^/gm, '> ')] : []),
    ...(content.closing ?? []),
    ...(content.list ?? []).map(entryText),
    ...(content.sections ?? []).flatMap(({ title, list, link }) => [
      title,
      ...list.map(entryText),
      ...(link ? [linkText(link)] : []),
    ]),
    ...(content.link ? [linkText(content.link)] : []),
    `-- \n${branding.siteName}\n${branding.siteUrl}\n${content.reason}`,
  ].join('\n\n');

// Mail clients drop style sheets and much of modern CSS; tables and inline styles work in all of them.
const htmlOf = (content: EmailContent, branding: Branding): string => {
  const paragraph = (html: string) => `<p style="margin:0 0 16px;line-height:1.5">${html}</p>`;
  const quote = content.quote
    ? `<blockquote style="margin:0 0 16px;padding:8px 16px;border-left:4px solid #cbd5e1;color:#334155">${withBreaks(content.quote)}</blockquote>`
    : '';
  const closing = (content.closing ?? []).map((text) => paragraph(withBreaks(text))).join('\n');
  const link = content.link
    ? `<p style="margin:24px 0"><a href="${escapeHtml(content.link.url)}" style="background:#1d4ed8;color:#ffffff;padding:10px 18px;border-radius:6px;text-decoration:none">${escapeHtml(content.link.label)}</a></p>`
    : '';
  const listOf = (entries: readonly Entry[]): string =>
    entries
      .map(({ name, url, note }) =>
        paragraph(
          `<a href="${escapeHtml(url)}" style="color:#1d4ed8;font-weight:bold">${escapeHtml(name)}</a><br>${escapeHtml(note)}`,
        ),
      )
      .join('\n');
  const sections = (content.sections ?? [])
    .map(({ title, list: entries, link: further }) => {
      const heading = `<h2 style="margin:24px 0 16px;font-size:18px">${escapeHtml(title)}</h2>`;
      const all = further
        ? paragraph(`<a href="${escapeHtml(further.url)}" style="color:#1d4ed8">${escapeHtml(further.label)}</a>`)
        : '';
      return `${heading}\n${listOf(entries)}\n${all}`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(content.subject)}</title></head>
<body style="margin:0;padding:0;background:#f1f5f9;font-family:Arial,Helvetica,sans-serif;color:#0f172a">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border-radius:8px"><tr><td style="padding:32px">
${paragraph(escapeHtml(content.greeting))}
${content.paragraphs.map((text) => paragraph(withBreaks(text))).join('\n')}
${quote}${closing}${listOf(content.list ?? [])}${sections}${link}
<p style="margin:32px 0 0;font-size:13px;color:#64748b"><a href="${escapeHtml(branding.siteUrl)}" style="color:#64748b">${escapeHtml(branding.siteName)}</a><br>${escapeHtml(content.reason)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
};

/** Renders an email as text and as HTML, with a subject that is safe as a header. */
export const renderEmail = (
  content: EmailContent,
  branding: Branding,
): { subject: string; text: string; html: string } => {
  const safe = { ...content, subject: headerValue(content.subject) };
  return { subject: safe.subject, text: textOf(safe, branding), html: htmlOf(safe, branding) };
};
