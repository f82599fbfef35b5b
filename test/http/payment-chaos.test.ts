import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { Checkout, LedgerEntry } from '#contract/payments.ts';
import { tiers } from '#contract/route.ts';
import { type CallAnswer, type Client, clientOf, type ListedEvent } from '#test/support/client.ts';
import { eventOf, paidSession, refundedCharge, type Started, signatureOf } from '#test/support/payments.ts';

/**
 * The worst that can happen to payments: everything the provider tells comes several times, in any order and at once, while
 * the whole service is killed again and again. In the end each has taken effect exactly once.
 */

const CHECKOUTS = 200;
const BUYERS = 10;
const DELIVERIES_MAX = 5;
const WORKERS = 24;
const KILLS = 5;

const main = fileURLToPath(new URL('../../local/main.ts', import.meta.url));
const dataDir = mkdtempSync(path.join(tmpdir(), 'payment-chaos-'));

// Whoever wants to see a run again gives its seed.
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
let state = seed + 1;
/** A number from 0 up to 1, the same again for the same seed (a linear congruential generator). */
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one);

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};

let child: ChildProcess | undefined;

const killTree = async (): Promise<void> => {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
  await once(child, 'exit');
};

const start = async (port: number): Promise<void> => {
  const limits = Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60']));
  // A process group of its own, so that the whole tree can be killed at once.
  const started = spawn(process.execPath, [main], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...limits, LOG_LEVEL: 'CRITICAL', PORT: String(port), DATA_DIR: dataDir },
  });
  child = started;
  let output = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  while (!output.includes('directory is at')) {
    if (started.exitCode !== null) throw new Error(`The service did not start: ${output}`);
    await wait(20);
  }
};

afterAll(async () => {
  await killTree();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What the provider comes to know about a checkout. */
type Fate = 'paid' | 'paid late' | 'paid at the page' | 'refunded' | 'failed' | 'expired' | 'nothing';
const fates: readonly Fate[] = [
  'paid',
  'paid',
  'paid',
  'paid',
  'paid late',
  'paid at the page',
  'refunded',
  'failed',
  'expired',
  'nothing',
];

const newsOf = (id: string, fate: Fate): object[] => {
  const unpaid = paidSession(id, { payment_status: 'unpaid' });
  switch (fate) {
    case 'paid':
      return [eventOf('checkout.session.completed', paidSession(id))];
    case 'paid late':
      return [
        eventOf('checkout.session.completed', unpaid),
        eventOf('checkout.session.async_payment_succeeded', paidSession(id)),
      ];
    case 'refunded':
      return [
        eventOf('checkout.session.completed', paidSession(id)),
        eventOf('charge.refunded', refundedCharge(id, 1900)),
        eventOf('charge.refunded', refundedCharge(id, 4900)),
      ];
    case 'failed':
      return [eventOf('checkout.session.completed', unpaid), eventOf('checkout.session.async_payment_failed', unpaid)];
    case 'expired':
      return [eventOf('checkout.session.expired', unpaid)];
    case 'paid at the page':
      // The rehearsal's provider tells it by itself, also after it was killed in between.
      return [{ page: id }];
    case 'nothing':
      return [];
  }
};

interface Purchase {
  readonly number: number;
  readonly fate: Fate;
  readonly buyer: number;
  readonly id: string;
}

const inParallel = async <T>(queue: T[], workers: number, work: (one: T) => Promise<void>): Promise<void> => {
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: workers }, worker));
};

const good = <T>(answer: CallAnswer): T => {
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { data: T }).data;
};

const buy = async (client: Client, tokens: readonly string[]): Promise<Purchase[]> => {
  const purchases: Purchase[] = [];
  await inParallel(
    Array.from({ length: CHECKOUTS }, (_, number) => number),
    10,
    async (number) => {
      const buyer = number % BUYERS;
      const body = {
        plan: 'premium',
        name: `Chaos ${number}`,
        // Some want the same address here, which only one of them can get.
        slug: number % 3 === 0 ? 'chaos' : undefined,
        url: `https://chaos-${number}.example.com`,
        description: 'Bought while the power was failing.',
        categories: ['design'],
        pricing_type: 'free',
      };
      const answer = await client.call('POST', '/api/projects', { token: tokens[buyer] as string, body });
      const { checkout_id: id } = good<Started>(answer);
      purchases.push({ number, fate: fates[Math.floor(number / BUYERS) % fates.length] as Fate, buyer, id });
    },
  );
  return purchases;
};

const send = (client: Client, news: object): Promise<CallAnswer> => {
  if ('page' in news) {
    return client.call('POST', `/_local/checkout/${String(news.page)}`, { body: { outcome: 'paid' } });
  }
  const rawBody = JSON.stringify(news);
  return client.call('POST', '/api/webhooks/stripe', {
    rawBody,
    headers: { 'stripe-signature': signatureOf(rawBody) },
  });
};

/** Sends news again and again until they are taken, as the provider does. */
const tellUntilHeard = async (client: Client, news: object): Promise<void> => {
  for (;;) {
    try {
      const { status } = await send(client, news);
      if (status === 200) return;
      expect(status).toBeGreaterThanOrEqual(500);
    } catch (error) {
      // Nobody is there, or went away in the middle.
      if ((error as Error).name === 'AssertionError') throw error;
    }
    await wait(20 + random() * 100);
  }
};

const everyEvent = async (client: Client, token: string, kind: string): Promise<ListedEvent[]> => {
  const all: ListedEvent[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: string = `kind=${kind}&limit=100${after === '' ? '' : `&after=${after}`}`;
    const answer = await client.call('GET', `/api/admin/events?${query}`, { token });
    all.push(...good<ListedEvent[]>(answer));
    after = (answer.body as { meta: { nextAfter: string | null } }).meta.nextAfter;
  }
  return all;
};

it(`lets every payment take effect exactly once (CHAOS_SEED=${seed})`, async () => {
  const port = await freePort();
  await start(port);
  const client = clientOf(`http://127.0.0.1:${port}`);
  const admin = await client.token({ email: 'root@example.com', admin: true });
  const tokens = await Promise.all(
    Array.from({ length: BUYERS }, (_, n) => client.token({ email: `buyer${n}@example.com` })),
  );
  const purchases = await buy(client, tokens);

  const deliveries = shuffled(
    purchases.flatMap(({ id, fate }) =>
      newsOf(id, fate).flatMap((event) => Array<object>(1 + Math.floor(random() * DELIVERIES_MAX)).fill(event)),
    ),
  );
  const total = deliveries.length;
  const killing = (async () => {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const left = total * (1 - (kill - random()) / (KILLS + 1));
      while (deliveries.length > left) await wait(1);
      await wait(random() * 30);
      await killTree();
      await start(port);
    }
  })();
  await Promise.all([killing, inParallel(deliveries, WORKERS, (news) => tellUntilHeard(client, news))]);

  const isPaid = ({ fate }: Purchase) => fate.startsWith('paid') || fate === 'refunded';
  const ends: Record<Fate, string> = {
    paid: 'fulfilled',
    'paid late': 'fulfilled',
    'paid at the page': 'fulfilled',
    refunded: 'refunded',
    failed: 'failed',
    expired: 'expired',
    nothing: 'open',
  };
  const stand = async ({ id, buyer }: Purchase): Promise<Checkout> =>
    good<Checkout>(await client.call('GET', `/api/payments/checkouts/${id}`, { token: tokens[buyer] as string }));
  for (const purchase of purchases.filter(({ fate }) => fate === 'paid at the page')) {
    await client.until(async () => (await stand(purchase)).status === 'fulfilled', 20_000);
  }
  const ledgers = await Promise.all(
    tokens.map(async (token) => good<LedgerEntry[]>(await client.call('GET', '/api/payments?limit=100', { token }))),
  );
  const projects = new Map<string, Checkout['project']>();
  for (const purchase of purchases) {
    const { id, fate, buyer, number } = purchase;
    const checkout = await stand(purchase);
    expect([number, checkout.status]).toEqual([number, ends[fate]]);
    const entries = (ledgers[buyer] ?? []).filter((entry) => entry.checkout_id === id);
    const sumOf = (type: string) => entries.filter((entry) => entry.type === type).map(({ amount }) => amount);
    expect([number, sumOf('payment')]).toEqual([number, isPaid(purchase) ? [4900] : []]);
    expect([number, sumOf('refund').reduce((sum, amount) => sum + amount, 0)]).toEqual([
      number,
      fate === 'refunded' ? 4900 : 0,
    ]);
    if (!isPaid(purchase)) expect([number, checkout.project]).toEqual([number, null]);
    else projects.set(id, checkout.project);
    if (isPaid(purchase)) {
      const plan = fate === 'refunded' ? 'standard' : 'premium';
      expect(checkout.project).toMatchObject({ name: `Chaos ${number}`, plan, status: 'pending' });
    }
  }

  // No project but those that were paid, each once and with a slug of its own.
  const stored: { id: string; name: string; slug: string }[] = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const answer = await client.call('GET', `/api/admin/projects?status=all&q=chaos&limit=100&page=${page}`, {
      token: admin,
    });
    stored.push(...good<typeof stored>(answer));
    ({ hasMore } = (answer.body as { meta: { hasMore: boolean } }).meta);
  }
  expect(stored.map(({ id }) => id).sort()).toEqual([...projects.values()].map((project) => project?.id).sort());
  expect(new Set(stored.map(({ slug }) => slug)).size).toBe(stored.length);

  // Each told exactly once in the ledger of events.
  const settled = await everyEvent(client, admin, 'paymentSettled');
  const checkoutsOf = (events: readonly ListedEvent[]) =>
    events.map(({ data }) => (data as { checkout_id: string }).checkout_id).sort();
  expect(checkoutsOf(settled)).toEqual([...projects.keys()].sort());
  const refunded = new Set(checkoutsOf(await everyEvent(client, admin, 'paymentRefunded')));
  expect([...refunded].sort()).toEqual(purchases.flatMap(({ fate, id }) => (fate === 'refunded' ? [id] : [])).sort());
  const submitted = (await everyEvent(client, admin, 'projectSubmitted')).flatMap(({ data }) => {
    const { project_id, name } = data as { project_id: string; name: string };
    return name.startsWith('Chaos ') ? [project_id] : [];
  });
  expect(submitted.sort()).toEqual(stored.map(({ id }) => id).sort());
  client.close();
}, 120_000);
