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
import { Random } from '#test/catalog/random.ts';
import { type CallResponse, type Client, clientOf, type ListedEvent } from '#test/support/client.ts';
import { paidSession, refundedCharge, type StartedCheckout, signatureOf, stripeEvent } from '#test/support/payments.ts';
import { firstSeed } from '#test/support/sample.ts';

/**
 * Payments under crashes: events are delivered repeatedly, out of order and concurrently while the server is killed
 * several times. Afterwards each event must have taken effect exactly once.
 */

const CHECKOUTS = 200;
const BUYERS = 10;
const DELIVERIES_MAX = 5;
const WORKERS = 24;
const KILLS = 5;

const main = fileURLToPath(new URL('../../../local/main.ts', import.meta.url));
const dataDir = mkdtempSync(path.join(tmpdir(), 'payment-chaos-'));

const source = new Random(firstSeed);
const random = (): number => source.next();

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
  // A process group of its own, so that one signal kills the whole process tree.
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

/** What happens to a checkout at the provider. */
type Outcome = 'paid' | 'paid late' | 'paid on the page' | 'refunded' | 'failed' | 'expired' | 'nothing';
const outcomes: readonly Outcome[] = [
  'paid',
  'paid',
  'paid',
  'paid',
  'paid late',
  'paid on the page',
  'refunded',
  'failed',
  'expired',
  'nothing',
];

const deliveriesOf = (id: string, outcome: Outcome): object[] => {
  const unpaid = paidSession(id, { payment_status: 'unpaid' });
  switch (outcome) {
    case 'paid':
      return [stripeEvent('checkout.session.completed', paidSession(id))];
    case 'paid late':
      return [
        stripeEvent('checkout.session.completed', unpaid),
        stripeEvent('checkout.session.async_payment_succeeded', paidSession(id)),
      ];
    case 'refunded':
      return [
        stripeEvent('checkout.session.completed', paidSession(id)),
        stripeEvent('charge.refunded', refundedCharge(id, 1900)),
        stripeEvent('charge.refunded', refundedCharge(id, 4900)),
      ];
    case 'failed':
      return [
        stripeEvent('checkout.session.completed', unpaid),
        stripeEvent('checkout.session.async_payment_failed', unpaid),
      ];
    case 'expired':
      return [stripeEvent('checkout.session.expired', unpaid)];
    case 'paid on the page':
      // The mock provider delivers the event itself, also after a crash.
      return [{ page: id }];
    case 'nothing':
      return [];
  }
};

interface Purchase {
  readonly number: number;
  readonly outcome: Outcome;
  readonly buyer: number;
  readonly id: string;
}

const inParallel = async <T>(queue: T[], workers: number, work: (one: T) => Promise<void>): Promise<void> => {
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: workers }, worker));
};

const okData = <T>(response: CallResponse): T => {
  expect(response).toMatchObject({ status: 200 });
  return (response.body as { data: T }).data;
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
        // A third requests the same slug, which only one project can have.
        slug: number % 3 === 0 ? 'chaos' : undefined,
        url: `https://chaos-${number}.example.com`,
        description: 'Bought during a crash.',
        categories: ['design'],
        pricing_type: 'free',
      };
      const response = await client.call('POST', '/api/projects', { token: tokens[buyer] as string, body });
      const { checkout_id: id } = okData<StartedCheckout>(response);
      purchases.push({
        number,
        outcome: outcomes[Math.floor(number / BUYERS) % outcomes.length] as Outcome,
        buyer,
        id,
      });
    },
  );
  return purchases;
};

const send = (client: Client, delivery: object): Promise<CallResponse> => {
  if ('page' in delivery) {
    return client.call('POST', `/_local/checkout/${String(delivery.page)}`, { body: { outcome: 'paid' } });
  }
  const rawBody = JSON.stringify(delivery);
  return client.call('POST', '/api/webhooks/stripe', {
    rawBody,
    headers: { 'stripe-signature': signatureOf(rawBody) },
  });
};

/** Retries a delivery until it succeeds, as the provider does. */
const deliver = async (client: Client, delivery: object): Promise<void> => {
  for (;;) {
    try {
      const { status } = await send(client, delivery);
      if (status === 200) return;
      expect(status).toBeGreaterThanOrEqual(500);
    } catch (error) {
      // Connections fail while the server is down.
      if (error instanceof Error && error.name === 'AssertionError') throw error;
    }
    await wait(20 + random() * 100);
  }
};

const everyEvent = async (client: Client, token: string, kind: string): Promise<ListedEvent[]> => {
  const all: ListedEvent[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: string = `kind=${kind}&limit=100${after === '' ? '' : `&after=${after}`}`;
    const response = await client.call('GET', `/api/admin/events?${query}`, { token });
    all.push(...okData<ListedEvent[]>(response));
    after = (response.body as { meta: { nextAfter: string | null } }).meta.nextAfter;
  }
  return all;
};

it(`applies every payment exactly once (seed ${firstSeed})`, async () => {
  const port = await freePort();
  await start(port);
  const client = clientOf(`http://127.0.0.1:${port}`);
  const admin = await client.token({ email: 'root@example.com', admin: true });
  const tokens = await Promise.all(
    Array.from({ length: BUYERS }, (_, n) => client.token({ email: `buyer${n}@example.com` })),
  );
  const purchases = await buy(client, tokens);

  const deliveries = shuffled(
    purchases.flatMap(({ id, outcome }) =>
      deliveriesOf(id, outcome).flatMap((event) =>
        Array<object>(1 + Math.floor(random() * DELIVERIES_MAX)).fill(event),
      ),
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
  await Promise.all([killing, inParallel(deliveries, WORKERS, (delivery) => deliver(client, delivery))]);

  const isPaid = ({ outcome }: Purchase) => outcome.startsWith('paid') || outcome === 'refunded';
  const expectedStatus: Record<Outcome, string> = {
    paid: 'fulfilled',
    'paid late': 'fulfilled',
    'paid on the page': 'fulfilled',
    refunded: 'refunded',
    failed: 'failed',
    expired: 'expired',
    nothing: 'open',
  };
  const checkoutOf = async ({ id, buyer }: Purchase): Promise<Checkout> =>
    okData<Checkout>(await client.call('GET', `/api/payments/checkouts/${id}`, { token: tokens[buyer] as string }));
  for (const purchase of purchases.filter(({ outcome }) => outcome === 'paid on the page')) {
    await client.until(async () => (await checkoutOf(purchase)).status === 'fulfilled');
  }
  const ledgers = await Promise.all(
    tokens.map(async (token) => okData<LedgerEntry[]>(await client.call('GET', '/api/payments?limit=100', { token }))),
  );
  const projects = new Map<string, Checkout['project']>();
  for (const purchase of purchases) {
    const { id, outcome, buyer, number } = purchase;
    const checkout = await checkoutOf(purchase);
    expect([number, checkout.status]).toEqual([number, expectedStatus[outcome]]);
    const entries = (ledgers[buyer] ?? []).filter((entry) => entry.checkout_id === id);
    const amountsOf = (type: string) => entries.filter((entry) => entry.type === type).map(({ amount }) => amount);
    expect([number, amountsOf('payment')]).toEqual([number, isPaid(purchase) ? [4900] : []]);
    expect([number, amountsOf('refund').reduce((sum, amount) => sum + amount, 0)]).toEqual([
      number,
      outcome === 'refunded' ? 4900 : 0,
    ]);
    if (!isPaid(purchase)) expect([number, checkout.project]).toEqual([number, null]);
    else projects.set(id, checkout.project);
    if (isPaid(purchase)) {
      const plan = outcome === 'refunded' ? 'standard' : 'premium';
      expect(checkout.project).toMatchObject({ name: `Chaos ${number}`, plan, status: 'pending' });
    }
  }

  // Exactly the paid projects exist, each once and with a unique slug.
  const stored: { id: string; name: string; slug: string }[] = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const response = await client.call('GET', `/api/admin/projects?status=all&q=chaos&limit=100&page=${page}`, {
      token: admin,
    });
    stored.push(...okData<typeof stored>(response));
    ({ hasMore } = (response.body as { meta: { hasMore: boolean } }).meta);
  }
  expect(stored.map(({ id }) => id).sort()).toEqual([...projects.values()].map((project) => project?.id).sort());
  expect(new Set(stored.map(({ slug }) => slug)).size).toBe(stored.length);

  // The event log contains exactly one event for each.
  const settled = await everyEvent(client, admin, 'paymentSettled');
  const checkoutsOf = (events: readonly ListedEvent[]) =>
    events.map(({ data }) => (data as { checkout_id: string }).checkout_id).sort();
  expect(checkoutsOf(settled)).toEqual([...projects.keys()].sort());
  const refunded = new Set(checkoutsOf(await everyEvent(client, admin, 'paymentRefunded')));
  expect([...refunded].sort()).toEqual(
    purchases.flatMap(({ outcome, id }) => (outcome === 'refunded' ? [id] : [])).sort(),
  );
  const submitted = (await everyEvent(client, admin, 'projectSubmitted')).flatMap(({ data }) => {
    const { project_id, name } = data as { project_id: string; name: string };
    return name.startsWith('Chaos ') ? [project_id] : [];
  });
  expect(submitted.sort()).toEqual(stored.map(({ id }) => id).sort());
  client.close();
}, 120_000);
