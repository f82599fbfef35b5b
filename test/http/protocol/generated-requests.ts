import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import {
  type GeneratedOperation,
  type GeneratedRequest,
  generatedOperations,
  type KnownValues,
  nearly,
  requestsTo,
  type Sender,
} from '#test/support/generated-requests.ts';
import {
  chooseOutcome,
  disputeOf,
  paidSession,
  refundedCharge,
  signatureOf,
  startPremium,
  stripeEvent,
} from '#test/support/payments.ts';
import { firstSeed } from '#test/support/sample.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/**
 * Requests generated from the OpenAPI document, to every operation and as every kind of caller: no 5xx, and no response that
 * the document does not describe. `REQUESTS_TOTAL` sets the number of requests.
 */
const TOTAL = Number(process.env.REQUESTS_TOTAL ?? 10_000);

/** Jobs have no input, so fewer requests to them find everything. */
const REQUESTS_PER_SLOW = 20;

/** The responses with 5xx that are right here: no language model is configured. */
const UNAVAILABLE: Readonly<Record<string, string>> = { 'ai.generate': 'AI_UNAVAILABLE' };

const { server, directory } = await ownDirectory({ env: { FEATURE_AI: 'on' } });

interface People {
  readonly user: Person;
  readonly owner: Person;
  readonly admin: Person;
}

const newPeople = async (): Promise<People> => ({
  user: await person(server),
  owner: await person(server),
  admin: await person(server, { admin: true }),
});

const idOf = async (response: Promise<CallResponse>): Promise<string> => dataOf<{ id: string }>(await response).id;

/** Deletes the fields that requests have defined: submissions without a value of a required one are refused. */
const deleteFields = async (): Promise<void> => {
  const fields = dataOf<{ id: string; deleted_at: string | null }[]>(
    await directory.adminOk('GET', '/api/admin/fields'),
  );
  for (const { id, deleted_at } of fields) {
    if (deleted_at === null) await directory.adminOk('DELETE', `/api/admin/fields/${id}`);
  }
};

/** Creates records of every kind that requests to an operation can name. */
const createKnown = async (operation: GeneratedOperation, { owner, user, admin }: People): Promise<KnownValues> => {
  await deleteFields();
  const projects = [
    ...(await Promise.all(
      (['live', 'live', 'pending', 'rejected', 'deleted'] as const).map((state) => directory.project(state, owner)),
    )),
    ...(await Promise.all((['live', 'pending'] as const).map((state) => directory.project(state, admin)))),
  ];
  const live = projects[0]?.id ?? '';
  const category = await directory.addCategory();
  const names = projects.flatMap(({ id, slug }) => [id, id, slug]);
  const victims = [await person(server), await person(server)];
  for (const victim of victims) await directory.ok(victim, 'GET', '/api/user/profile');
  const known: Record<string, readonly string[]> = {
    project: names,
    project_id: names,
    ids: names,
    category: [category.id, category.slug],
    categories: [category.slug, directory.category],
    user: victims.map(({ id }) => id),
    owner_id: [owner.id, user.id],
    bbox: ['-10,40,10,60', '170,-10,-170,10'],
    near: ['47.3,8.5'],
    radius_km: ['10', '0.5'],
  };
  if (operation.id.startsWith('projects.')) known.status = ['live', 'pending', 'rejected'];
  if (operation.parameters.some(({ name }) => name === 'cursor')) {
    const { body } = await directory.get('/api/projects?limit=1');
    known.cursor = [(body as { meta: { nextCursor: string } }).meta.nextCursor];
  }
  if (operation.id.startsWith('categories.')) known.id = [category.id, 'cat_unknown'];
  if (operation.path.includes('{comment}')) {
    const comments = [owner, user, admin].map((who) =>
      idOf(directory.ok(who, 'POST', `/api/projects/${live}/comments`, { content: 'Hello.' }, 201)),
    );
    known.comment = await Promise.all(comments);
    known.project = [live];
  }
  if (operation.path.includes('{report}')) {
    known.report = [await idOf(directory.ok(user, 'POST', `/api/projects/${live}/report`, { reason: 'spam' }, 201))];
  }
  if (operation.path.includes('{webhook}')) {
    const body = { url: `https://${unique('hook')}.example.com/`, kinds: ['projectApproved'] };
    const webhook = await idOf(directory.adminOk('POST', '/api/admin/webhooks', body, 201));
    known.webhook = [webhook];
    await directory.adminOk('POST', `/api/admin/webhooks/${webhook}/test`);
    const list = await directory.adminOk('GET', `/api/admin/webhooks/${webhook}/deliveries`);
    known.delivery = [...dataOf<{ id: string }[]>(list).map(({ id }) => id), 'dlv_unknown'];
  }
  if (operation.path.includes('{promotion}')) {
    const grant = { project_id: live, placements: ['catalog'], days: 7 };
    known.promotion = [await idOf(directory.adminOk('POST', '/api/admin/promotions', grant, 201))];
  }
  if (operation.path.includes('{checkout}') || operation.auth === 'signature') {
    const started = await Promise.all([owner, owner, user].map((buyer) => startPremium(directory, buyer)));
    known.checkout = started.map(({ checkout_id }) => checkout_id);
    if (operation.auth !== 'signature') await chooseOutcome(directory, known.checkout[0] ?? '', 'paid');
  }
  return known;
};

/** Kinds of events with the object that they are about. */
const providerObjects: Readonly<Record<string, (checkoutId: string) => object>> = {
  'checkout.session.completed': paidSession,
  'checkout.session.async_payment_succeeded': paidSession,
  'checkout.session.async_payment_failed': paidSession,
  'checkout.session.expired': paidSession,
  'charge.refunded': (checkoutId) => refundedCharge(checkoutId, 4900),
  'charge.dispute.created': disputeOf,
  'charge.dispute.closed': (checkoutId) => ({ ...disputeOf(checkoutId), status: 'won' }),
  'customer.created': (checkoutId) => ({ id: checkoutId }),
};

/** Events of the payment provider, most of them signed. The document does not describe their schema. */
const providerRequests = (operation: GeneratedOperation, known: KnownValues): fc.Arbitrary<GeneratedRequest> => {
  const event = fc
    .tuple(fc.constantFrom(...(known.checkout ?? [])), fc.constantFrom(...Object.entries(providerObjects)))
    .map(([checkout, [type, objectOf]]) => stripeEvent(type, objectOf(checkout)));
  const payload = fc
    .oneof(
      { weight: 3, arbitrary: event },
      { weight: 3, arbitrary: nearly(event) },
      { weight: 1, arbitrary: fc.jsonValue() },
    )
    .map((value) => JSON.stringify(value));
  return fc.tuple(payload, fc.nat(9)).map(([body, choice]) => ({
    sender: 'anonymous',
    method: operation.method,
    target: operation.path,
    headers: choice === 0 ? {} : { 'stripe-signature': choice === 1 ? 't=1,v1=x' : signatureOf(body) },
    body,
  }));
};

const requestsFor = (operation: GeneratedOperation, known: KnownValues): fc.Arbitrary<GeneratedRequest> =>
  operation.auth === 'signature' ? providerRequests(operation, known) : requestsTo(operation, known);

const credentials = (sender: Sender, { user, owner, admin }: People): Record<string, string> => {
  switch (sender) {
    case 'anonymous':
      return {};
    case 'invalid':
      return { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' };
    case 'cookie':
      return { cookie: `directory_token=${admin.token}`, 'sec-fetch-site': 'same-origin' };
    default:
      return { authorization: `Bearer ${{ user, owner, admin }[sender].token}` };
  }
};

/** @returns what is wrong with the response, if anything. */
const send = async (operation: GeneratedOperation, request: GeneratedRequest, people: People) => {
  const { method, target, headers, body, sender } = request;
  try {
    const response = await server.call(method, target, {
      ...(body !== undefined && { rawBody: body }),
      headers: { ...credentials(sender, people), ...headers },
    });
    const { code } = (response.body ?? {}) as { code?: unknown };
    const isExpected = response.status < 500 || (response.status === 503 && UNAVAILABLE[operation.id] === code);
    return {
      status: response.status,
      problem: isExpected ? undefined : `${response.status} ${JSON.stringify(response.body)}`,
    };
  } catch (error) {
    return { status: 0, problem: (error as Error).message };
  }
};

const FAILURES_SHOWN = 5;

/** Requests to an operation that changes a record, before new records are created. */
const REQUESTS_PER_ROUND = 50;

const isConsuming = ({ method, path }: GeneratedOperation): boolean => method !== 'GET' && path.includes('{');

const isJob = ({ auth }: GeneratedOperation): boolean => auth === 'cron';

/** Jobs, and operations that wait for the target of a webhook. */
const isSlow = (operation: GeneratedOperation): boolean =>
  isJob(operation) || ['webhooks.replay', 'webhooks.test'].includes(operation.id);
const slow = generatedOperations.filter(isSlow);
const perOperation = Math.ceil((TOTAL - slow.length * REQUESTS_PER_SLOW) / (generatedOperations.length - slow.length));

/** The one request to a job that runs it. */
const withSecret = ({ method, path }: GeneratedOperation): GeneratedRequest => ({
  sender: 'anonymous',
  method,
  target: path,
  headers: { authorization: 'Bearer local-cron-secret' },
  body: undefined,
});

/** Webhooks come last, because deliveries to those that exist slow down what publishes events. */
const cases = generatedOperations
  .map((operation, position) => ({ id: operation.id, operation, position }))
  .toSorted((a, b) => Number(a.id.startsWith('webhooks.')) - Number(b.id.startsWith('webhooks.')));

let total = 0;

/** Registers a test for each of these operations. */
export const testOperations = (isTested: (operation: GeneratedOperation) => boolean): void => {
  it.each(cases.filter(({ operation }) => isTested(operation)))(
    '$id returns documented responses only',
    async ({ operation, position }) => {
      let people = await newPeople();
      const problems: unknown[] = [];
      const statuses: Record<number, number> = {};
      const count = isSlow(operation) ? REQUESTS_PER_SLOW : perOperation;
      const perRound = isConsuming(operation) ? REQUESTS_PER_ROUND : count;
      for (let sent = 0; sent < count; sent += perRound) {
        const known = await createKnown(operation, people);
        const numRuns = Math.min(perRound, count - sent);
        const seed = firstSeed + 1000 * position + sent;
        const requests = fc.sample(requestsFor(operation, known), { numRuns, seed });
        if (isJob(operation)) requests.push(withSecret(operation));
        for (const request of requests) {
          const { status, problem } = await send(operation, request, people);
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (problem !== undefined) problems.push({ problem, ...request });
          if (/^users\.(?:erase|remove)$/.test(operation.id) && status === 200) people = await newPeople();
        }
        total += requests.length;
      }
      const counts = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
      process.stdout.write(`${total} requests, seed ${firstSeed}: ${operation.id} ${counts.join(', ')}\n`);
      expect(problems.length, JSON.stringify(problems.slice(0, FAILURES_SHOWN), null, 1)).toBe(0);
    },
    600_000,
  );
};
