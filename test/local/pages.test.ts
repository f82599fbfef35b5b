import { afterAll, beforeAll, expect, it } from 'vitest';
import { putOnBus } from '#platform/bus.ts';
import { sendMail } from '#platform/mail.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

let world: TestWorld;

const EVIL = '"><script>alert(1)</script>';

beforeAll(async () => {
  world = await startTestWorld({ subscriptions: [] });
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
});

afterAll(async () => {
  await world.stop();
});

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const page = async (path: string): Promise<string> => {
  const answer = await world.call('GET', path, { headers: HTML });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  return answer.body as string;
};

const pages = [
  '/',
  '/_local/mail',
  '/_local/events',
  '/_local/events?tasks=1',
  '/_local/dead-letters',
  '/docs',
  '/docs/',
];

it.each(pages)('%s loads nothing from elsewhere and lets nothing of what it shows out', async (path) => {
  const body = await page(path);
  expect(body).not.toMatch(/<script>alert/);
  for (const [, address] of body.matchAll(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]*)"/g))
    expect(address).toMatch(/^\/docs\//);
});

it('shows the way around at the start', async () => {
  const body = await page('/');
  for (const path of ['/docs', '/_local/mail', '/_local/events', '/api/openapi.json'])
    expect(body).toContain(`href="${path}"`);
  expect(body).toContain(`curl http://localhost:${world.world.port}/api/projects`);
});

it('lists the inbox for programs, newest first and as it was sent', async () => {
  const mails = await world.mails();
  expect(mails.map(({ to }) => to)).toEqual(['bo@example.com', 'ada@example.com']);
  expect(mails[1]).toMatchObject({
    subject: `First ${EVIL}`,
    text: `Text ${EVIL}`,
    html: `<p title="x">Hello &amp; ${EVIL}</p>`,
    sent_at: expect.stringMatching(/Z$/),
  });
});

it('shows a mail in a frame that may do nothing', async () => {
  const body = await page('/_local/mail');
  expect(body).toContain(
    'srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;p title=&quot;x&quot;&gt;Hello &amp;amp; &quot;&gt;&lt;script&gt;',
  );
  expect(body).toMatch(/sandbox="allow-popups allow-popups-to-escape-sandbox"/);
  expect(body.indexOf('Second')).toBeLessThan(body.indexOf('First'));
});

it('lists events for programs, newest first, without tasks unless asked', async () => {
  const ids = async (path: string) => {
    const answer = await world.call('GET', path);
    return (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  expect(await ids('/_local/events')).toEqual(['evt_3', 'evt_1']);
  expect(await ids('/_local/events?tasks=1')).toEqual(['evt_3', 'evt_2', 'evt_1']);
  expect(await ids('/_local/events?kind=projectSubmitted')).toEqual(['evt_1']);
  expect(await ids('/_local/events?limit=1')).toEqual(['evt_3']);
  expect(await ids('/_local/events?limit=-1&limit=x')).toEqual(['evt_3', 'evt_1']);
  expect((await world.events())[0]).toEqual({
    id: 'evt_3',
    kind: 'projectApproved',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: null,
    data: { name: EVIL },
  });
});

it('has the reference with everything that it needs', async () => {
  const body = await page('/docs');
  const needed = [...body.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => String(path));
  expect(needed).toHaveLength(3);
  for (const path of needed) {
    const answer = await world.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/(?:css|javascript)/);
  }
  expect((await world.call('GET', '/docs/start.js')).body).toContain("url: '/api/openapi.json'");
});
