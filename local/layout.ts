import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Html, html } from './html.ts';

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
