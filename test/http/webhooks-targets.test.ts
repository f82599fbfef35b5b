import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendTo } from '#domain/webhooks/attempt.ts';
import { bodyFor } from '#domain/webhooks/body.ts';
import type { Told } from '#domain/webhooks/delivery.ts';
import { postOutbound, type Resolve, refusalOf } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';
import { deliverPorts } from '#ports/webhooks.ts';
import { Directory, dataOf, invalidAt, metaOf } from '#test/support/fixtures.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Where webhooks may lead, as a deployed stage has it: to the public internet over https and nowhere else. */

const WEBHOOKS = '/api/admin/webhooks';

let world: TestWorld;
let directory: Directory;
let receiver: Receiver;

beforeAll(async () => {
  world = await startTestWorld();
  directory = await Directory.open(world);
  receiver = await startReceiver();
});

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

beforeEach(() => receiver.forget());

const register = (url: string) => directory.as(directory.admin, 'POST', WEBHOOKS, { url, kinds: ['projectSubmitted'] });

/** A resolver that answers these addresses one call after the other, and counts the calls. */
const resolver = (...answers: readonly (readonly string[])[]): { resolve: Resolve; calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    resolve: async () => {
      const addresses = answers[Math.min(calls, answers.length - 1)] ?? [];
      calls += 1;
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
};

const PUBLIC = '93.184.215.14';
const post = (url: string, resolve: Resolve, timeoutMs = 2000) =>
  postOutbound({ url, headers: {}, body: '{}' }, { resolve, timeoutMs });

describe('an address', () => {
  it.each([
    'http://example.com/hook',
    'HTTP://EXAMPLE.COM',
    'ftp://example.com/hook',
    'javascript:alert(1)',
    'data:text/plain,hello',
    'file:///etc/passwd',
    '//example.com/hook',
    'https://',
    'https://name:word@example.com/hook',
    'https://name@example.com/hook',
    // This machine, in every notation.
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.0x1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    // The network inside.
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://100.127.255.255/',
    'https://169.254.0.1/',
    'https://198.18.0.1/',
    'https://[fc00::1]/',
    'https://[fd12:3456:789a::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    // What clouds tell their machines.
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/v2/credentials',
    'https://[fd00:ec2::254]/latest/meta-data/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://100.100.100.200/',
    'https://192.0.0.192/',
    'https://168.63.129.16/',
    // To everybody, and to nobody.
    'https://224.0.0.1/',
    'https://239.255.255.250/',
    'https://255.255.255.255/',
    'https://240.0.0.1/',
    'https://[ff02::1]/',
    'https://192.0.2.1/',
    'https://203.0.113.7/',
    'https://[2001:db8::1]/',
    'https://[100::1]/',
  ])('such as %s is refused at registration and again when something is sent', async (url) => {
    expect(await register(url)).toMatchObject(invalidAt('url'));
    expect(metaOf(await directory.get(WEBHOOKS, directory.admin)).total).toBe(0);
    const { status, error } = await post(url, resolver(['127.0.0.1']).resolve);
    expect([status, error]).toEqual([null, expect.stringMatching(/^The (?:address must|address leads|name leads)/)]);
  });

  it.each([
    `https://${PUBLIC}/hook`,
    'https://8.8.8.8/',
    'https://172.32.0.1/',
    'https://[2606:4700::1111]/',
    'https://hooks.nowhere.invalid/a?b=c',
  ])('such as %s is taken, also when its name is not known yet', async (url) => {
    const made = await register(url);
    expect(made).toMatchObject({ status: 201, body: { data: { url } } });
    const { id } = dataOf<{ id: string }>(made);
    const path = `${WEBHOOKS}/${id}`;
    expect(await directory.as(directory.admin, 'PUT', path, { url: 'https://10.0.0.1/' })).toMatchObject(
      invalidAt('url'),
    );
    expect(await directory.get(path, directory.admin)).toMatchObject({ body: { data: { url } } });
    await directory.done('DELETE', path);
  });
});

describe('a name', () => {
  it('is refused when any of its addresses is inside', async () => {
    for (const addresses of [['10.0.0.1'], [PUBLIC, '127.0.0.1'], ['::1'], [PUBLIC, 'fd00::1'], ['169.254.169.254']]) {
      expect(await refusalOf('https://rebind.example.com/', resolver(addresses).resolve)).toContain(
        'not on the public',
      );
    }
    expect(await refusalOf('https://fine.example.com/', resolver([PUBLIC, '2606:4700::1111']).resolve)).toBeUndefined();
  });

  it('that is not answered for in time is taken, and checked when something is sent', async () => {
    const never: Resolve = () => new Promise(() => undefined);
    expect(await refusalOf('https://slow.example.com/', never)).toBeUndefined();
    const { error } = await post('https://slow.example.com/', never, 200);
    expect(error).toBe('No answer in time.');
  });

  it('that moves inside between check and connection is not connected to', async () => {
    const moving = resolver([PUBLIC], ['127.0.0.1']);
    const url = `https://rebind.example.com:${receiver.port}/hook`;
    expect(await refusalOf(url, moving.resolve)).toBeUndefined();
    const answer = await post(url, moving.resolve);
    expect(answer).toMatchObject({
      status: null,
      error: expect.stringContaining('not on the public internet') as unknown,
    });
    expect(receiver.connections()).toBe(0);
  });

  it('is resolved once for a connection, which goes to the very address that was checked', async () => {
    // Only for this test: otherwise nothing on this machine could be connected to.
    const allowed = vi.spyOn(settings(), 'webhookAllowPrivate', 'get');
    allowed.mockReturnValue(true);
    // Were it asked again after the check, it would lead to an address where nobody answers.
    const moving = resolver(['127.0.0.1'], ['127.0.0.2']);
    const answer = await post(`http://rebind.example.com:${receiver.port}/hook`, moving.resolve);
    expect(answer).toMatchObject({ status: 200, response: 'thanks', error: null });
    expect(moving.calls()).toBe(1);
    expect(receiver.received[0]?.headers.host).toBe(`rebind.example.com:${receiver.port}`);
    // A rehearsal reaches this machine and still not the network behind it.
    const inside = await post('http://10.0.0.1/', moving.resolve);
    expect(inside.error).toContain('not on the public internet');
    allowed.mockRestore();
  });
});

describe('a receiver', () => {
  it('has its time and no more', async () => {
    const allowed = vi.spyOn(settings(), 'webhookAllowPrivate', 'get');
    allowed.mockReturnValue(true);
    receiver.always(() => undefined);
    expect(await post(receiver.url, resolver(['127.0.0.1']).resolve, 300)).toMatchObject({
      status: null,
      error: 'No answer in time.',
    });
    // Whose status has come has answered, though the rest of it never ends.
    receiver.always((response) => response.writeHead(200).write('some'));
    expect(await post(receiver.url, resolver(['127.0.0.1']).resolve, 300)).toMatchObject({
      status: 200,
      response: 'some',
    });
    allowed.mockRestore();
  });

  it('that does not speak TLS is told nothing', async () => {
    const allowed = vi.spyOn(settings(), 'webhookAllowPrivate', 'get');
    allowed.mockReturnValue(true);
    const answer = await post(`https://plain.example.com:${receiver.port}/`, resolver(['127.0.0.1']).resolve);
    expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/^No safe connection: /) as unknown });
    expect(receiver.received).toEqual([]);
    allowed.mockRestore();
  });
});

describe('a chat', () => {
  const site = { siteName: 'Tools & More', siteUrl: 'https://directory.example' };
  const told = (fields: Partial<Told> = {}): Told => ({
    id: 'evt_1',
    kind: 'projectRejected',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: 'somebody',
    data: {
      project_id: 'prj_1',
      name: '@everyone **Best** <b> [tool](https://x)',
      url: 'https://tool.example.com/<x> y?a=1&b=2',
      owner_id: 'private-owner',
      reason: 'private-reason',
    },
    ...fields,
  });
  const kinds: readonly (readonly [string, string])[] = [
    ['https://discord.com/api/webhooks/1/abc', 'content'],
    ['https://discordapp.com/api/webhooks/1/abc', 'content'],
    ['https://canary.discord.com/api/webhooks/1/abc', 'content'],
    ['https://hooks.slack.com/services/T/B/x', 'text'],
  ];

  it.each(kinds)('at %s gets one line in its %s, of the name and the address only', (url, member) => {
    const body = JSON.parse(bodyFor(url, told(), site)) as Record<string, unknown>;
    const line = String(body[member]);
    expect(line).toMatch(/^Tools (?:&|&amp;) More · Not accepted: /);
    expect(line).toContain('tool.example.com/%3Cx%3E%20y?a=1');
    expect(JSON.stringify(body)).not.toMatch(/private|somebody|\n/);
  });

  it('is not made to mention, format or link what a name says', () => {
    const discord = JSON.parse(bodyFor('https://discord.com/api/webhooks/1/a', told(), site)) as Record<
      string,
      unknown
    >;
    expect(discord.content).toContain(String.raw`\@everyone \*\*Best\*\* \<b\> \[tool\]\(https://x\)`);
    expect(discord.allowed_mentions).toEqual({ parse: [] });
    const slack = JSON.parse(
      bodyFor('https://hooks.slack.com/services/a', told({ data: { name: '<!channel> & <@U1>' } }), site),
    ) as { text: string };
    expect(slack.text).toBe('Tools &amp; More · Not accepted: &lt;!channel&gt; &amp; &lt;@U1&gt;');
  });

  it('hears nothing of what people wrote or paid', () => {
    for (const [url] of kinds) {
      for (const event of [
        told({ kind: 'commentCreated', data: { content: 'private', user_id: 'private' } }),
        told({ kind: 'paymentSettled', data: { amount: 6900, user_id: 'private' } }),
        told({ kind: 'userBanned', data: { user_id: 'private', reason: 'private' } }),
      ]) {
        expect(bodyFor(url, event, site)).not.toMatch(/private|6900|: /);
      }
    }
  });

  it.each([
    'https://discord.com.example.org/',
    'https://example.org/discord.com',
    'https://hooks.slack.com.example.org/',
    'https://notdiscord.com/',
  ])('is not seen in %s', (url) => {
    expect(JSON.parse(bodyFor(url, told(), site))).toMatchObject({ type: 'projectRejected', id: 'evt_1' });
  });

  it('is sent what it understands, through the same door as everybody', async () => {
    const made = await register('https://discord.com/api/webhooks/1/abc');
    expect(made).toMatchObject({ status: 201 });
    const webhook = await deliverPorts.findWebhook(dataOf<{ id: string }>(made).id);
    if (!webhook) throw new Error('It is not stored.');
    const sent: { url: string; body: string }[] = [];
    const attempt = await sendTo(
      {
        ...deliverPorts,
        post: async (request) => {
          sent.push(request);
          return { status: 204, response: '', error: null, duration_ms: 1 };
        },
      },
      webhook,
      told(),
    );
    expect(attempt.ok).toBe(true);
    expect(sent).toEqual([
      expect.objectContaining({ url: webhook.url, body: expect.stringContaining('"content":') as unknown }),
    ]);
  });
});
