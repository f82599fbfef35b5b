import type { Bus } from './bus.ts';
import type { DeadLetter, PublishedEvent } from './bus-journal.ts';
import { Html, html, layout } from './html.ts';
import { accepts, countFrom, jsonResponse, type LocalRequest, type LocalRoute, pageResponse } from './local-route.ts';
import type { MailService, ReceivedMail } from './mail.ts';

interface PageSources {
  readonly port: number;
  readonly bus: Bus;
  readonly mail: MailService;
}

const LISTED = 200;
const LISTED_MAX = 10_000;

const startPage = ({ port }: PageSources): Html => {
  const origin = `http://localhost:${port}`;
  const sample = `# public data
curl ${origin}/api/projects
curl ${origin}/api/categories

# tokens for a user and for an administrator
TOKEN=$(curl -s ${origin}/_local/token -H 'content-type: application/json' \\
  -d '{"email":"ada@example.com","name":"Ada"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
ADMIN=$(curl -s ${origin}/_local/token -H 'content-type: application/json' \\
  -d '{"email":"grace@example.com","admin":true}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

# submit a project and see it in the moderation queue
curl ${origin}/api/projects -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -d '{"plan":"standard","name":"Anvil","url":"https://anvil.example","description":"A tool.",
       "categories":["developer-tools"],"pricing_type":"free"}'
curl ${origin}/api/me/submissions -H "authorization: Bearer $TOKEN"
curl '${origin}/api/admin/projects?status=pending' -H "authorization: Bearer $ADMIN"
`;
  return layout(
    'Directory',
    html`<h1>Directory</h1>
<p>The back end of a listing directory, running on this machine. It listens on the loopback interface only and keeps its data between runs.</p>
<p><a class="action" href="/console">Open the console</a></p>
<ul class="cards">
<li><a href="/console">Console</a><p class="soft">Moderate submissions, edit listings and change settings. Sign in as administrator, moderator or user.</p></li>
<li><a href="/docs">API reference</a><p class="soft">All routes, with forms to try them. The OpenAPI document is <a href="/api/openapi.json">/api/openapi.json</a>.</p></li>
<li><a href="/_local/mail">Inbox</a><p class="soft">All sent mail, for every recipient. None leaves this machine.</p></li>
<li><a href="/_local/events">Events</a><p class="soft">Published events and their deliveries. Failed deliveries are in the <a href="/_local/dead-letters">dead letters</a>.</p></li>
</ul>
<h2>Call the API</h2>
<pre>${sample}</pre>
<p class="soft">To get a token, post <code>{"email": "…"}</code> to <code>/_local/token</code>; with <code>"admin": true</code> the user becomes an administrator.
Jobs run at <code>/api/cron/{job}</code> with <code>Authorization: Bearer local-cron-secret</code> unless CRON_SECRET is set.</p>`,
  );
};

const mailView = (mail: ReceivedMail, open: boolean): Html => html`<article>
<h2>${mail.subject}</h2>
<p class="soft">to ${mail.to} · from ${mail.from} · ${mail.sent_at}</p>
<details${new Html(open ? ' open' : '')}><summary>HTML</summary>
<iframe title="HTML of the mail" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" srcdoc="${`<base target="_blank">${mail.html}`}"></iframe></details>
<details><summary>Text</summary><pre class="wrap">${mail.text}</pre></details>
</article>`;

const inboxPage = (mails: readonly ReceivedMail[]): Html =>
  layout(
    'Inbox',
    html`<h1>Inbox</h1>
<p class="soft">No mail leaves this machine. Newest first.</p>
${mails.length === 0 ? html`<p>No mail yet.</p>` : mails.map((mail, position) => mailView(mail, position === 0))}`,
  );

const eventView = ({ detail, deliveries }: PublishedEvent): Html => html`<article>
<h2>${String(detail.kind)}</h2>
<p class="soft">${String(detail.occurred_at)} · ${String(detail.id)}</p>
<pre class="wrap">${JSON.stringify(detail.data, null, 2)}</pre>
${deliveries.map(
  ({ subscription, state, tries, error }) =>
    html`<p${new Html(state === 'dead' ? ' class="dead"' : '')}>${subscription}: ${state}, tries: ${tries}${error ? ` (${error})` : ''}</p>`,
)}
</article>`;

const eventsPage = (events: readonly PublishedEvent[]): Html =>
  layout(
    'Events',
    html`<h1>Events</h1>
<p class="soft">Events on the bus, newest first. <a href="/_local/events?tasks=1">Include internal tasks</a> · <a href="/_local/dead-letters">Dead letters</a></p>
${events.length === 0 ? html`<p>No event yet.</p>` : events.map(eventView)}`,
  );

const deadLettersPage = (letters: readonly DeadLetter[]): Html =>
  layout(
    'Dead letters',
    html`<h1>Dead letters</h1>
<p class="soft">Events whose delivery failed in every attempt.</p>
${
  letters.length === 0
    ? html`<p>None.</p>`
    : letters.map(
        (letter) => html`<article><h2>${letter.kind} for ${letter.subscription}</h2>
<p class="dead">${letter.tries} tries: ${letter.error ?? ''}</p>
<pre class="wrap">${JSON.stringify(letter.detail, null, 2)}</pre></article>`,
      )
}`,
  );

/** The start page, the inbox, the events and the dead letters; the lists are available as JSON as well. */
export const pageRoutes = (sources: PageSources): readonly LocalRoute[] => {
  const limitOf = ({ query }: LocalRequest, fallback: number) => countFrom(query, 'limit', fallback, LISTED_MAX);
  return [
    // The name of the local issuer is an address, and it answers.
    { method: 'GET', path: '/_local', respond: () => pageResponse(startPage(sources)) },
    {
      method: 'GET',
      path: '/_local/mail',
      respond: (request) =>
        accepts(request, 'application/json')
          ? jsonResponse({ data: sources.mail.inbox(limitOf(request, LISTED_MAX)) })
          : pageResponse(inboxPage(sources.mail.inbox(limitOf(request, LISTED)))),
    },
    {
      method: 'GET',
      path: '/_local/events',
      respond: (request) => {
        const asPage = accepts(request, 'text/html');
        const kind = request.query.get('kind');
        const events = sources.bus.events({
          includeTasks: request.query.has('tasks'),
          ...(kind !== null && { kind }),
          limit: limitOf(request, asPage ? LISTED : LISTED_MAX),
        });
        return asPage ? pageResponse(eventsPage(events)) : jsonResponse({ data: events.map(({ detail }) => detail) });
      },
    },
    {
      method: 'GET',
      path: '/_local/dead-letters',
      respond: (request) => {
        const letters = sources.bus.deadLetters();
        return accepts(request, 'text/html') ? pageResponse(deadLettersPage(letters)) : jsonResponse({ data: letters });
      },
    },
  ];
};
