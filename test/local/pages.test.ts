import { expect, it } from 'vitest';
import { putOnBus } from '#platform/eventbridge.ts';
import { sendMail } from '#platform/ses.ts';
import { ownServer } from '#test/support/with-directory.ts';

const EVIL = '"><script>alert(1)</script>';

const server = await ownServer({ subscriptions: [] });
await sendMail({
  to: 'ada@example.com',
  subject: `First ${EVIL}`,
  text: `Text ${EVIL}`,
  html: `<p title="x">Hello &amp; ${EVIL}</p>`,
});
await sendMail({ to: 'bo@example.com', subject: 'Second', text: 'Later', html: '<p>Later</p>' });
const message = (id: string, kind: string) => ({
  id,
  source: kind === 'projectPurged' ? 'directory.tasks' : 'directory',
  kind,
  detail: { id, kind, occurred_at: '2026-11-20T09:30:00.000Z', actor_id: null, data: { name: EVIL } },
  time: new Date(),
});
await putOnBus([
  message('evt_1', 'projectSubmitted'),
  message('evt_2', 'projectPurged'),
  message('evt_3', 'projectApproved'),
]);

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const page = async (path: string): Promise<string> => {
  const response = await server.call('GET', path, { headers: HTML });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  return response.body as string;
};

const pages = ['/_local', '/_local/mail', '/_local/events', '/_local/events?tasks=1', '/_local/dead-letters'];

it.each(pages)('the local page %s loads no external resources and escapes its content', async (path) => {
  const body = await page(path);
  expect(body).not.toMatch(/<script>alert/);
  for (const [, address] of body.matchAll(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]*)"/g))
    expect(address).toBe('');
});

it('the start page links to the other pages', async () => {
  const body = await page('/_local');
  for (const path of ['/docs', '/_local/mail', '/_local/events', '/api/openapi.json'])
    expect(body).toContain(`href="${path}"`);
  expect(body).toContain(`curl http://localhost:${server.server.port}/api/projects`);
});

it('the inbox as JSON is newest first and unescaped', async () => {
  const mails = await server.mails();
  expect(mails.map(({ to }) => to)).toEqual(['bo@example.com', 'ada@example.com']);
  expect(mails[1]).toMatchObject({
    subject: `First ${EVIL}`,
    text: `Text ${EVIL}`,
    html: `<p title="x">Hello &amp; ${EVIL}</p>`,
    sent_at: expect.stringMatching(/Z$/),
  });
});

it('the inbox shows a mail in a sandboxed frame', async () => {
  const body = await page('/_local/mail');
  expect(body).toContain(
    'srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;p title=&quot;x&quot;&gt;Hello &amp;amp; &quot;&gt;&lt;script&gt;',
  );
  expect(body).toMatch(/sandbox="allow-popups allow-popups-to-escape-sandbox"/);
  expect(body.indexOf('Second')).toBeLessThan(body.indexOf('First'));
});

it('the list of events as JSON is newest first, with tasks only on request', async () => {
  const ids = async (path: string) => {
    const response = await server.call('GET', path);
    return (response.body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  expect(await ids('/_local/events')).toEqual(['evt_3', 'evt_1']);
  expect(await ids('/_local/events?tasks=1')).toEqual(['evt_3', 'evt_2', 'evt_1']);
  expect(await ids('/_local/events?kind=projectSubmitted')).toEqual(['evt_1']);
  expect(await ids('/_local/events?limit=1')).toEqual(['evt_3']);
  expect(await ids('/_local/events?limit=-1&limit=x')).toEqual(['evt_3', 'evt_1']);
  expect((await server.events())[0]).toEqual({
    id: 'evt_3',
    kind: 'projectApproved',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: null,
    data: { name: EVIL },
  });
});
