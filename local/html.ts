import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and XML, attribute values included. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Trusted markup, not escaped again. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Insert = string | number | Html | readonly Html[];

const markupOf = (insert: Insert): string => {
  if (insert instanceof Html) return insert.markup;
  if (Array.isArray(insert)) return insert.map((one: Html) => one.markup).join('');
  return escapeHtml(String(insert));
};

/** Template tag for HTML: inserted values are escaped unless they are `Html`. */
export const html = (parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html =>
  new Html(parts.reduce((whole, part, position) => whole + markupOf(inserts[position - 1] ?? '') + part));

const read = (file: string): string => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8');

/** The design of the console, and what these pages add. */
const STYLE = new Html(
  `<style>${['../console/styles/tokens.css', '../console/styles/base.css', 'pages.css'].map(read).join('\n')}</style>`,
);

/** A page of the local server with its navigation. */
export const layout = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE}
</head>
<body>
<header><nav aria-label="Pages"><a href="/">Directory</a><a href="/console">Console</a><a href="/docs">API reference</a><a href="/_local/mail">Inbox</a><a href="/_local/events">Events</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`;
