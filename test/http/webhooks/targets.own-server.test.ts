import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { webhooks } from '#data/webhooks.ts';
import type { WebhookMessage } from '#model/webhook.ts';
import { environment } from '#platform/environment.ts';
import { postOutbound, type Resolve, urlError } from '#platform/outbound.ts';
import { payloadFor } from '#services/webhooks/payload.ts';
import { sendMessage } from '#services/webhooks/send.ts';
import { dataOf, invalidAt, metaOf, success } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

/** Runs with the default of WEBHOOK_ALLOW_PRIVATE (off), as on AWS. */

const WEBHOOKS = '/api/admin/webhooks';

const { directory } = await ownDirectory();
const receiver = await ownReceiver();

const register = (url: string) => directory.asAdmin('POST', WEBHOOKS, { url, kinds: ['projectSubmitted'] });

const registered = async () => metaOf(await directory.get(WEBHOOKS, directory.admin)).total;

/** Permits loopback addresses, as the setting does on one machine. */
const allowLoopback = () => vi.spyOn(environment(), 'webhookAllowPrivate', 'get').mockReturnValue(true);

/** A resolver that returns a list of addresses per call (the last one repeatedly) and counts the calls. */
const resolver = (...results: readonly (readonly string[])[]): { resolve: Resolve; calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    resolve: async () => {
      const addresses = results[Math.min(calls, results.length - 1)] ?? [];
      calls += 1;
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
};

const PUBLIC = '93.184.215.14';
const post = (url: string, resolve: Resolve, timeoutMs = 2000) =>
  postOutbound({ url, headers: {}, body: '{}' }, { resolve, timeoutMs });

it.each([
  ['another scheme', 'http://example.com/hook HTTP://EXAMPLE.COM ftp://example.com/hook javascript:alert(1)'],
  ['another scheme', 'data:text/plain,hello file:///etc/passwd //example.com/hook https://'],
  ['credentials', 'https://name:word@example.com/hook https://name@example.com/hook'],
  ['a loopback address', 'https://127.0.0.1/ https://127.0.0.1:8443/ https://127.1/ https://2130706433/'],
  ['a loopback address', 'https://0x7f000001/ https://0177.0.0.1/ https://0x7f.0.0.0x1/ https://127.0.0.1./'],
  ['a loopback address', 'https://①②⑦.0.0.1/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/'],
  ['a loopback address', 'https://[::ffff:7f00:1]/ https://[::127.0.0.1]/ https://[64:ff9b::127.0.0.1]/'],
  ['a loopback address', 'https://[2002:7f00:1::]/ https://[2001:0:7f00:1::]/'],
  ['an unspecified address', 'https://0.0.0.0/ https://[::]/'],
  ['a name of this machine', 'https://localhost/ https://localhost./ https://LOCALHOST/ https://sub.localhost/'],
  ['a name of a local network', 'https://printer.local/ https://Printer.LOCAL./ https://router.home.arpa/'],
  ['a name of a local network', 'https://home.arpa/ https://intranet/ https://intranet./ https://com/'],
  ['an onion address', 'https://duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion/'],
  ['a private network', 'https://10.0.0.1/ https://10.255.255.255/ https://172.16.0.1/ https://172.31.255.255/'],
  ['a private network', 'https://192.168.1.1/ https://100.64.0.1/ https://100.127.255.255/ https://169.254.0.1/'],
  ['a private network', 'https://198.18.0.1/ https://[fc00::1]/ https://[fd12:3456:789a::1]/ https://[fe80::1]/'],
  ['a private network', 'https://[fec0::1]/'],
  ['cloud metadata', 'https://169.254.169.254/latest/meta-data/ https://169.254.170.2/v2/credentials'],
  ['cloud metadata', 'https://[fd00:ec2::254]/latest/meta-data/ https://[::ffff:a9fe:a9fe]/ https://100.100.100.200/'],
  ['cloud metadata', 'https://192.0.0.192/ https://168.63.129.16/ https://metadata.google.internal/'],
  ['multicast or broadcast', 'https://224.0.0.1/ https://239.255.255.250/ https://255.255.255.255/ https://[ff02::1]/'],
  ['a reserved address', 'https://240.0.0.1/ https://[100::1]/'],
  ['a documentation address', 'https://192.0.2.1/ https://203.0.113.7/ https://[2001:db8::1]/'],
])('a webhook URL with %s is rejected on creation and on every request: %s', async (_, urls) => {
  const before = await registered();
  for (const url of urls.split(' ')) {
    expect({ url, ...(await register(url)) }).toMatchObject({ url, ...invalidAt('url') });
    const { status, error } = await post(url, resolver(['127.0.0.1']).resolve);
    const refused: unknown = expect.stringMatching(/^The (?:address must|address leads|name leads)/);
    expect([url, status, error]).toEqual([url, null, refused]);
  }
  expect(await registered()).toBe(before);
});

it.each([
  `https://${PUBLIC}/hook`,
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://[2606:4700::1111]/',
  'https://hooks.nowhere.invalid/a?b=c',
])('a webhook URL such as %s is accepted, even if its name cannot be resolved', async (url) => {
  const created = await register(url);
  expect(created).toMatchObject(success({ url }, 201));
  const { id } = dataOf<{ id: string }>(created);
  const path = `${WEBHOOKS}/${id}`;
  expect(await directory.asAdmin('PUT', path, { url: 'https://10.0.0.1/' })).toMatchObject(invalidAt('url'));
  expect(await directory.get(path, directory.admin)).toMatchObject(success({ url }));
  await directory.adminOk('DELETE', path);
});

it('a host name of a webhook is rejected when any of its addresses is internal', async () => {
  for (const addresses of [['10.0.0.1'], [PUBLIC, '127.0.0.1'], ['::1'], [PUBLIC, 'fd00::1'], ['169.254.169.254']]) {
    expect(await urlError('https://rebind.example.com/', resolver(addresses).resolve)).toContain('not on the public');
  }
  expect(await urlError('https://fine.example.com/', resolver([PUBLIC, '2606:4700::1111']).resolve)).toBeUndefined();
});

it.each(['sub.localhost', 'a.local', 'a.internal', 'a.home.arpa', 'a.onion', 'intranet', 'a.local.'])(
  'a host name of a webhook such as %s is rejected before any DNS query',
  async (host) => {
    const dns = resolver([PUBLIC]);
    expect(await urlError(`https://${host}/`, dns.resolve)).toContain('not on the public');
    expect(await post(`https://${host}/`, dns.resolve)).toMatchObject({ status: null });
    expect(dns.calls()).toBe(0);
  },
);

it.each(['local.example.com', 'notlocal.com', 'internal.example.org', 'onion.example'])(
  'a host name of a webhook that only resembles an internal one, such as %s, is accepted',
  async (host) => {
    expect(await urlError(`https://${host}/`, resolver([PUBLIC]).resolve)).toBeUndefined();
  },
);

longTest('a host name of a webhook that is not resolved in time fails on a request only', async () => {
  const never: Resolve = () => new Promise(() => undefined);
  expect(await urlError('https://slow.example.com/', never)).toBeUndefined();
  const { error } = await post('https://slow.example.com/', never, 200);
  expect(error).toBe('No response in time.');
});

it('a host name of a webhook that resolves to an internal address after creation is not connected to', async () => {
  const before = receiver.connections();
  const rebinding = resolver([PUBLIC], ['127.0.0.1']);
  const url = `https://rebind.example.com:${receiver.port}/hook`;
  expect(await urlError(url, rebinding.resolve)).toBeUndefined();
  expect(await post(url, rebinding.resolve)).toMatchObject({
    status: null,
    error: expect.stringContaining('not on the public internet') as unknown,
  });
  expect(receiver.connections()).toBe(before);
});

it('a host name of a webhook is resolved once per request, and the connection uses the checked address', async () => {
  const allowed = allowLoopback();
  // A second lookup would return an address without a listener.
  const rebinding = resolver(['127.0.0.1'], ['127.0.0.2']);
  const response = await post(`http://rebind.example.com:${receiver.port}/hook`, rebinding.resolve);
  expect(response).toMatchObject({ status: 200, response: 'thanks', error: null });
  expect(rebinding.calls()).toBe(1);
  expect(receiver.received[0]?.headers.host).toBe(`rebind.example.com:${receiver.port}`);
  // WEBHOOK_ALLOW_PRIVATE allows loopback addresses only.
  const internal = await post('http://10.0.0.1/', rebinding.resolve);
  expect(internal.error).toContain('not on the public internet');
  allowed.mockRestore();
});

it('a receiver of webhooks that does not respond in time is a failure; after the status line, the status counts', async () => {
  const allowed = allowLoopback();
  receiver.respondAlways(() => undefined);
  expect(await post(receiver.url, resolver(['127.0.0.1']).resolve, 300)).toMatchObject({
    status: null,
    error: 'No response in time.',
  });
  receiver.respondAlways((response) => response.writeHead(200).write('some'));
  expect(await post(receiver.url, resolver(['127.0.0.1']).resolve, 300)).toMatchObject({
    status: 200,
    response: 'some',
  });
  allowed.mockRestore();
});

it('a receiver of webhooks without TLS receives no data', async () => {
  const allowed = allowLoopback();
  const response = await post(`https://plain.example.com:${receiver.port}/`, resolver(['127.0.0.1']).resolve);
  expect(response).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed: /) as unknown });
  expect(receiver.received).toEqual([]);
  allowed.mockRestore();
});

const siteName = 'Tools & More';
const message = (fields: Partial<WebhookMessage> = {}): WebhookMessage => ({
  id: 'evt_1',
  kind: 'projectRejected',
  occurred_at: '2026-11-20T09:30:00.000Z',
  actor_id: 'private-actor',
  data: {
    project_id: 'prj_1',
    name: '@everyone **Best** <b> [tool](https://x)',
    url: 'https://tool.example.com/<x> y?a=1&b=2',
    owner_id: 'private-owner',
    reason: 'private-reason',
  },
  ...fields,
});
const chats: readonly (readonly [string, string])[] = [
  ['https://discord.com/api/webhooks/1/abc', 'content'],
  ['https://discordapp.com/api/webhooks/1/abc', 'content'],
  ['https://canary.discord.com/api/webhooks/1/abc', 'content'],
  ['https://hooks.slack.com/services/T/B/x', 'text'],
];

it.each(chats)(
  'a chat that receives webhooks at %s gets one line in the member %s, with only the name and URL of the listing',
  (url, member) => {
    const body = JSON.parse(payloadFor(url, message(), siteName)) as Record<string, unknown>;
    const line = String(body[member]);
    expect(line).toMatch(/^Tools (?:&|&amp;) More · Not accepted: /);
    expect(line).toContain('tool.example.com/%3Cx%3E%20y?a=1');
    expect(JSON.stringify(body)).not.toMatch(/private|\n/);
  },
);

it('a chat that receives webhooks gets mentions, formatting and links in names escaped', () => {
  const discord = JSON.parse(payloadFor('https://discord.com/api/webhooks/1/a', message(), siteName)) as Record<
    string,
    unknown
  >;
  expect(discord.content).toContain(String.raw`\@everyone \*\*Best\*\* \<b\> \[tool\]\(https://x\)`);
  expect(discord.allowed_mentions).toEqual({ parse: [] });
  const slack = JSON.parse(
    payloadFor('https://hooks.slack.com/services/a', message({ data: { name: '<!channel> & <@U1>' } }), siteName),
  ) as { text: string };
  expect(slack.text).toBe('Tools &amp; More · Not accepted: &lt;!channel&gt; &amp; &lt;@U1&gt;');
});

it('a chat that receives webhooks gets no user content and no amounts', () => {
  for (const [url] of chats) {
    for (const event of [
      message({ kind: 'commentCreated', data: { content: 'private', user_id: 'private' } }),
      message({ kind: 'paymentSettled', data: { amount: 6900, user_id: 'private' } }),
      message({ kind: 'userBanned', data: { user_id: 'private', reason: 'private' } }),
    ]) {
      expect(payloadFor(url, event, siteName)).not.toMatch(/private|6900|: /);
    }
  }
});

const textFor = (url: string, member: string, data: Readonly<Record<string, unknown>>, site = siteName): string => {
  const body = JSON.parse(payloadFor(url, message({ data }), site)) as Readonly<Record<string, unknown>>;
  return String(body[member]);
};

/** Discord rejects a longer message; Slack splits it. Each counts an emoji as one character or as two. */
const LONGEST: Readonly<Record<string, number>> = { content: 2000, text: 4000 };

it.each(chats)(
  'a chat that receives webhooks at %s gets the longest address that fits, and otherwise its host',
  (url, member) => {
    const addressOf = (length: number) => `https://tool.example.com/${'x'.repeat(length - 25)}`;
    const lengthWith = (length: number) => textFor(url, member, { name: 'Tool', url: addressOf(length) }).length;
    const max = LONGEST[member] ?? 0;
    const fitting = 100 + max - lengthWith(100);
    expect(textFor(url, member, { name: 'Tool', url: addressOf(fitting) })).toContain(addressOf(fitting));
    expect(lengthWith(fitting)).toBe(max);
    const shortened = textFor(url, member, { name: 'Tool', url: addressOf(fitting + 1) });
    expect(shortened).toMatch(/ · Not accepted: Tool tool\.example\.com\/…$/);
  },
);

it.each(chats)(
  'a chat that receives webhooks at %s gets no text above its limit, whatever the listing',
  (url, member) => {
    const unit = fc.oneof(
      fc.constantFrom('&', '<', '>', '*', '_', '@', '[', '😀', 'é', '\ud83d', ' '),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    // One part repeated, so that the longest texts are among them.
    const texts = (max: number) =>
      fc.tuple(fc.array(unit, { minLength: 1, maxLength: 5 }), fc.nat(max)).map(([units, length]) =>
        Array.from(units.join('').repeat(length + 1))
          .slice(0, length)
          .join(''),
      );
    fc.assert(
      fc.property(texts(300), texts(300), texts(2048), (site, name, rest) => {
        const text = textFor(url, member, { name, url: `https://tool.example.com/${rest}` }, site);
        expect(text.length).toBeLessThanOrEqual(LONGEST[member] ?? 0);
        expect(text.isWellFormed()).toBe(true);
        expect(text).toContain('tool.example.com/');
      }),
    );
  },
);

it.each([
  'https://discord.com.example.org/',
  'https://example.org/discord.com',
  'https://hooks.slack.com.example.org/',
  'https://notdiscord.com/',
])('a chat that receives webhooks is not detected in %s', (url) => {
  expect(JSON.parse(payloadFor(url, message(), siteName))).toMatchObject({ type: 'projectRejected', id: 'evt_1' });
});

it('a chat that receives webhooks gets deliveries in its own format', async () => {
  const created = dataOf<{ id: string }>(await register('https://discord.com/api/webhooks/1/abc'));
  const webhook = await webhooks.find(created.id);
  if (!webhook) throw new Error('The webhook is not stored.');
  // A URL with a user name is refused, so nothing is sent.
  const target = { ...webhook, url: 'https://name@discord.com/api/webhooks/1/abc' };
  const { request, error } = await sendMessage(target, ['whsec_c2VjcmV0'], message());
  expect(error).toContain('The address must');
  expect(request?.body).toContain('"content":');
});
