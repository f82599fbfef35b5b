import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { handlerIdOf, routes } from '#contract/table.ts';
import { checkoutKey, inOpenCheckouts } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import { SOURCE } from '#events/catalogue.ts';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { isStreamed } from '#lib/gateway/body.ts';
import { handlerFiles } from '#lib/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { type Directory, dataOf, type Person, person, submission } from '#test/support/fixtures.ts';
import { uploadFile } from '#test/support/imports.ts';
import {
  checkoutOf,
  chooseOutcome,
  disputeOf,
  signatureOf,
  startPremium,
  stripeEvent,
} from '#test/support/payments.ts';
import { multipart } from '#test/support/requests.ts';
import { deadLetter, type Seeded, seed } from '#test/support/seed.ts';
import { csv, readCsv } from '#test/support/uploads.ts';
import { type BundleFixture, CRON_SECRET, MODEL_TEXT, startBundleFixture } from './fixture.ts';

/**
 * Each function as uploaded: its bundle alone in a Node process, with the environment of its template and the
 * permissions of its role. It handles events of the gateway, the stream, the bus, the schedule and Cognito.
 */

let fixture: BundleFixture;
let seeded: Seeded;
let directory: Directory;
let admin: Person;
let leaver: Person;
let removedUser: Person;
let category: string;
let unsubscribeToken = '';
let delivery: string;
let cancelled: string;
let removedLetter: string;
let mergedCategory: string;

/** Timeout for chains of invocations, each of which starts processes, in milliseconds. */
const WAIT_MS = 20_000;

/** Older than the age at which open checkouts are reconciled, in milliseconds. */
const SILENCE_MS = 20 * 60_000;

/** Waiting edits by the route that decides on them. */
const waiting = new Map<string, Readonly<Record<string, string>>>();

/** Project ids by the route that needs them in a specific state. */
let projects: Readonly<Record<string, string>>;

beforeAll(async () => {
  fixture = await startBundleFixture();
  seeded = await seed(fixture.server);
  ({ directory, admin } = seeded);
  leaver = await person(fixture.server);
  removedUser = await person(fixture.server);
  await directory.get('/api/user/profile', removedUser);
  cancelled = await uploadFile(directory, Buffer.from('name\nA test\n'));
  const [pending, rejected, removed, purged] = await Promise.all([
    directory.submit(admin),
    directory.project('rejected', admin),
    directory.live(admin),
    directory.live(admin),
  ]);
  const rejectable = await directory.submit(admin);
  // Own listings cannot be claimed.
  const other = await person(fixture.server);
  projects = {
    'claims.open': (await directory.live(other)).id,
    'projects.approve': pending.id,
    'projects.reject': rejectable.id,
    'projects.resubmit': rejected.id,
    'projects.remove': removed.id,
    'projects.purge': purged.id,
  };
  for (const id of ['revisions.approve', 'revisions.reject', 'revisions.withdraw']) {
    const { id: project } = await directory.live(admin);
    const edited = await directory.ok(admin, 'PUT', `/api/projects/${project}`, { name: 'Waits' });
    const { pending_revision } = dataOf<{ pending_revision: { id: string } }>(edited);
    waiting.set(id, { project, revision: pending_revision.id });
  }
  for (const id of ['claims.verify', 'claims.withdraw', 'claims.reject']) {
    const { id: project } = await directory.live(other);
    const path = `/api/projects/${project}/claims`;
    const made = await directory.ok(admin, 'POST', path, { method: 'page' }, 201);
    waiting.set(id, { project, claim: dataOf<{ id: string }>(made).id });
  }
  removedLetter = await deadLetter();
  mergedCategory = dataOf<{ id: string }>(
    await directory.ok(admin, 'POST', '/api/admin/categories', { name: 'To be merged' }, 201),
  ).id;
  category = dataOf<{ id: string }[]>(await directory.get('/api/categories'))[0]?.id ?? '';
  // Delivers the project that was submitted after the webhook was created.
  await fixture.server.until(async () => {
    const { path } = requestFor(routeOf('webhooks.listDeliveries'));
    delivery = dataOf<{ id: string }[]>(await directory.get(path, admin))[0]?.id ?? '';
    return delivery !== '';
  }, WAIT_MS);
  await fixture.server.until(async () => {
    const headers = (await fixture.server.mails()).map((mail) => mail.headers['List-Unsubscribe'] ?? '');
    unsubscribeToken = /unsubscribe\/([^>]+)>/.exec(headers.find((one) => one !== '') ?? '')?.[1] ?? '';
    return unsubscribeToken !== '';
  }, WAIT_MS);
});

afterAll(async () => {
  await fixture.stop();
}, 600_000);

/** A valid body per route. */
const bodies: Readonly<Record<string, () => unknown>> = {
  'projects.submit': () => submission({ categories: [directory.category] }),
  'projects.update': () => ({ description: 'Described differently.' }),
  'projects.resubmit': () => ({ description: 'Described better.' }),
  'projects.edit': () => ({ description: 'Described by an administrator.' }),
  'projects.bulk': () => ({ action: 'delete', ids: ['prj_none'] }),
  'projects.reject': () => ({ reason: 'Not yet.' }),
  'follows.create': () => ({ query: { q: 'tea' }, frequency: 'daily' }),
  'drafts.create': () => ({ content: { name: 'Later' } }),
  'drafts.update': () => ({ content: { name: 'Later' } }),
  'collections.create': () => ({ title: 'Bundled' }),
  'collections.update': () => ({ description: 'What they have in common.' }),
  'fields.create': () => ({ key: 'bundled', type: 'text', label: 'Bundled' }),
  'fields.update': () => ({ help: 'A test.' }),
  'session.begin': () => ({ access_token: admin.token }),
  'mcp.call': () => {
    const given = submission({ categories: [directory.category] });
    return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'submit_listing', arguments: given } };
  },
  'claims.open': () => ({ method: 'manual' }),
  'comments.add': () => ({ content: 'Second.' }),
  'comments.hide': () => ({ is_hidden: true }),
  'comments.update': () => ({ content: 'First, corrected.' }),
  'ratings.rate': () => ({ rating: 5 }),
  'categories.create': () => ({ name: 'Bundled' }),
  'categories.merge': () => ({ into: directory.category }),
  'categories.reorder': () => [{ id: category, sort_order: 3 }],
  'categories.update': () => ({ description: 'What is in it.' }),
  'users.updateProfile': () => ({ bio: 'A user.' }),
  'users.updateSettings': () => ({ notifications: {} }),
  'users.update': () => ({ is_banned: false }),
  'settings.updateLayout': () => ({ card: { showLogo: false } }),
  'settings.updateTheme': () => ({ radius: '4px' }),
  'settings.updateMap': () => ({ lighting: 'dusk' }),
  'settings.updateSite': () => ({ tagline: 'Found here.' }),
  'webhooks.create': () => ({ url: 'http://127.0.0.1:9/else', kinds: ['projectApproved'] }),
  'webhooks.replayFailed': () => ({ since: new Date().toISOString() }),
  'webhooks.update': () => ({ description: 'An endpoint.' }),
  'revisions.reject': () => ({ reason: 'Not yet.' }),
  'reports.file': () => ({ reason: 'To try it again.' }),
  'reports.resolve': () => ({ status: 'dismissed' }),
  'reports.resolveMany': () => ({ ids: ['rep_none'], status: 'resolved' }),
  'savedReplies.create': () => ({ name: 'Later', text: 'Please try again.' }),
  'savedReplies.update': () => ({ text: 'Please try again later.' }),
  'imports.create': () => ({ filename: 'some.csv', bytes: 100 }),
  'imports.start': () => ({ mapping: { name: 'name', url: 'url', description: 'description' } }),
  'apiKeys.create': () => ({ name: 'A program', scopes: ['projects:read'] }),
  'rules.create': () => ({
    name: 'Later',
    when: { any: [{ mail_unverified: true }] },
    action: 'hold',
    is_active: false,
  }),
  'rules.update': () => ({ order: 3 }),
  'rules.simulate': () => ({
    rules: [
      {
        name: 'All conditions',
        when: { all: [{ duplicate_score: 0.5 }, { mail_is_disposable: true }] },
        action: 'hold',
      },
    ],
    last: 10,
  }),
  'ai.generate': () => ({ type: 'tags', name: 'Some listing', url: 'https://some.example.com/' }),
  'analytics.track': () => ({ type: 'pageview', path: '/' }),
  'payments.startCheckout': () => ({ kind: 'upgrade', project_id: projects['projects.approve'] }),
  'promotions.update': () => ({ cta_text: 'Go there' }),
  'promotions.grant': () => ({ project_id: projects['projects.purge'], placements: ['detail'], days: 3 }),
  'promotions.administer': () => ({ action: 'extend', days: 2 }),
};

/** Reads first, deletions last. */
const ranks = ['GET', 'PUT', 'POST', 'DELETE'];
const inOrder = routes
  .filter(({ id }) => !['projects.importCsv', 'webhooks.stripe'].includes(id))
  .toSorted((a, b) => ranks.indexOf(a.method) - ranks.indexOf(b.method));

const routeOf = (id: string): Route => {
  const found = routes.find((route) => route.id === id);
  if (!found) throw new Error(`There is no route ${id}.`);
  return found;
};

const pathFor = (route: Route): string => {
  const project = projects[route.id];
  if (project !== undefined) return route.path.replace('{project}', project);
  const edit = waiting.get(route.id);
  if (edit) return seeded.pathOf(route, edit);
  if (route.id === 'users.votes') return `${route.path}?ids=${projects['projects.approve']}`;
  if (route.id === 'deadLetters.remove') return route.path.replace('{letter}', removedLetter);
  if (route.id === 'users.remove') return route.path.replace('{user}', removedUser.id);
  if (route.path.includes('{token}')) return route.path.replace('{token}', unsubscribeToken);
  if (route.id === 'categories.merge') return route.path.replace('{category}', mergedCategory);
  if (route.id === 'imports.cancel') return route.path.replace('{import}', cancelled);
  if (route.id === 'health.read') return `${route.path}?deep=1`;
  return route.path.includes('{delivery}')
    ? seeded.pathOf(route).replace(/(?<=deliveries\/)[^/]+/, delivery)
    : seeded.pathOf(route);
};

const requestFor = (route: Route) => {
  const body = bodies[route.id]?.();
  const tokens: Readonly<Record<string, string>> = { 'users.erase': leaver.token, 'apiKeys.current': seeded.key.key };
  const token = tokens[route.id] ?? admin.token;
  return {
    path: pathFor(route),
    options: {
      ...(body !== undefined && { body }),
      ...(route.auth === 'cron' && { headers: { authorization: `Bearer ${CRON_SECRET}` } }),
      ...(['user', 'admin', 'optional'].includes(route.auth) && { token }),
    },
  };
};

/** Invokes a handler with an event that is not a request. */
const invoke = async (handler: string, event: unknown): Promise<unknown> =>
  await (await fixture.isolated.importHandler(handler))(event, lambdaContext(handler, 'fixture', 60));

const asMessage = (kind: string, data: object) => ({
  source: SOURCE,
  'detail-type': kind,
  detail: { id: `evt_${'0'.repeat(20)}TEST00`, kind, occurred_at: new Date().toISOString(), actor_id: admin.id, data },
});

const invokedHandlers = (): Set<string> => new Set(fixture.isolated.runs.map(({ handler }) => handler));

// Every response is also validated against the OpenAPI document.
it.each(inOrder)('a route responds to $method $path with a documented success', async (route) => {
  const { path, options } = requestFor(route);
  const response = await fixture.server.call(route.method, path, options);
  const expected = Object.keys(route.responses).map(Number);
  expect(expected, JSON.stringify(response.body)).toContain(response.status);
});

it('a response contains the text of the model', async () => {
  const response = await directory.as(admin, 'POST', '/api/ai/generate', bodies['ai.generate']?.());
  expect(dataOf(response)).toMatchObject({ tags: JSON.parse(MODEL_TEXT) as unknown });
});

it('a response is the run of a job with the right secret, and 401 without', async () => {
  const call = (secret: string) =>
    fixture.server.call('POST', '/api/cron/refresh-trending', { headers: { authorization: `Bearer ${secret}` } });
  expect(await call(CRON_SECRET)).toMatchObject({ status: 200, body: { data: { job: 'refresh-trending' } } });
  expect(await call('another')).toMatchObject({ status: 401 });
});

it('a response is a streamed file', async () => {
  const response = await directory.get('/api/admin/projects/export', admin);
  expect(response.headers.get('content-disposition')).toContain('attachment');
  const names = readCsv(String(response.body)).map((record) => record[1]);
  expect(names.length).toBeGreaterThan(2);
  expect(routes.filter(isStreamed).map(handlerIdOf)).toContain('projects.exportCsv');
});

it('a response is an import report for an uploaded file', async () => {
  const file = csv(['name', 'url'], ['Imported', 'https://imported.example.com/']);
  const form = await multipart({
    file: new Blob([file], { type: 'text/csv' }),
    mapping: '{"name":"name","url":"url"}',
  });
  const response = await fixture.server.call('POST', '/api/admin/projects/import', { token: admin.token, ...form });
  expect(response).toMatchObject({ status: 200 });
});

it(
  'a response is 200 for signed payment webhooks, and the purchase is fulfilled',
  async () => {
    const payload = JSON.stringify(stripeEvent('charge.updated', {}));
    const call = (signature: string, rawBody = payload) =>
      fixture.server.call('POST', '/api/webhooks/stripe', {
        rawBody,
        headers: { 'stripe-signature': signature },
      });
    expect(await call(signatureOf(payload))).toMatchObject({ status: 200 });
    expect(await call(signatureOf(payload, { secret: 'whsec_other' }))).toMatchObject({ status: 400 });
    const checkout = seeded.pathOf(routeOf('payments.readCheckout')).split('/').at(-1) ?? '';
    await chooseOutcome(directory, checkout, 'paid');
    await fixture.server.until(
      async () => (await checkoutOf(directory, admin, checkout)).status === 'fulfilled',
      WAIT_MS,
    );
    // The stream invokes the publisher, the bus invokes the subscriber, and the subscriber sends mail.
    await fixture.server.until(async () => invokedHandlers().has('mail.notifyBuyer'), WAIT_MS);
    await fixture.server.until(
      async () =>
        (await fixture.server.mails()).some(({ to, subject }) => to === admin.email && /pa(?:id|yment)/i.test(subject)),
      WAIT_MS,
    );
    // A dispute contains the payment only; for an unknown payment the service queries the provider.
    const dispute = JSON.stringify(stripeEvent('charge.dispute.created', disputeOf('somewhere_else')));
    expect(await call(signatureOf(dispute), dispute)).toMatchObject({ status: 200 });
  },
  3 * WAIT_MS,
);

it('a handler without a route reconciles an old open checkout with the payment provider', async () => {
  const { checkout_id } = await startPremium(directory, admin);
  const openedAt = new Date(Date.now() - SILENCE_MS).toISOString();
  const set = { created_at: openedAt, ...inOpenCheckouts(openedAt, checkout_id) };
  expect(await updateItem(checkoutKey(checkout_id), { set }, exists)).toBeDefined();
  expect(await invoke('cron.reconcilePayments', { schedule: 'cron.reconcilePayments' })).toMatchObject({
    processed: 1,
    failed: 0,
  });
});

it.each(jobs)('a handler without a route runs $route.id by its schedule', async ({ route }) => {
  expect(await invoke(handlerIdOf(route), { schedule: route.id })).toMatchObject({
    job: expect.any(String) as string,
  });
});

it('a handler without a route adds claims to a token', async () => {
  const event: PreTokenGenerationV2TriggerEvent = {
    version: '2',
    region: 'eu-central-1',
    userPoolId: 'pool',
    userName: 'ada',
    triggerSource: 'TokenGeneration_Authentication',
    callerContext: { awsSdkVersion: '1', clientId: 'web' },
    request: { userAttributes: { email: 'ada@example.com', email_verified: 'true' }, groupConfiguration: {} },
    response: { claimsAndScopeOverrideDetails: {} },
  };
  expect(await invoke('identity.addClaims', event)).toMatchObject({
    response: {
      claimsAndScopeOverrideDetails: {
        accessTokenGeneration: { claimsToAddOrOverride: { email: 'ada@example.com' } },
      },
    },
  });
});

it('a handler without a route records a bounce', async () => {
  const event = {
    source: 'aws.ses',
    'detail-type': 'Email Bounced',
    detail: {
      eventType: 'Bounce',
      mail: { destination: ['gone@example.com'] },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [{ emailAddress: 'gone@example.com' }],
      },
    },
  };
  await invoke('mail.recordFeedback', event);
  expect(fixture.aws.calls.get('mail.recordFeedback')).toContainEqual(
    expect.objectContaining({ leadingKey: 'MAIL_SUPPRESSION#' }),
  );
});

it('a handler without a route processes events of subscriptions that no other test invokes', async () => {
  const checkout = seeded.pathOf(routeOf('payments.readCheckout')).split('/').at(-1) ?? '';
  const claimed = {
    project_id: 'prj_none',
    slug: 'none',
    name: 'None',
    url: 'https://none.example',
    plan: 'standard',
    status: 'live',
    owner_id: leaver.id,
    claim_id: 'clm_none',
    method: 'mail',
    previous_owner_id: 'usr_none',
  };
  const messages: Readonly<Record<string, object>> = {
    'payments.refund': asMessage('refundDue', { checkout_id: checkout }),
    'mail.notifyAdmins': asMessage('webhookDisabled', {
      webhook_id: 'whk_none',
      host: 'webhooks.example',
      failing_since: new Date().toISOString(),
    }),
    'categories.finishChange': asMessage('categoryRenamed', { category_id: category, from: 'none', to: 'other' }),
    'votes.applyDecision': asMessage('voteCaseDecided', { project_id: 'prj_none', case_id: 'vca_none' }),
    'batches.finishRevert': asMessage('revertDue', { batch_id: 'bat_none' }),
    'users.finishErasure': asMessage('userErased', { user_id: leaver.id, projects: 'keep' }),
    'promotions.revokeForProject': asMessage('projectDeleted', {
      project_id: 'prj_none',
      slug: 'none',
      permanent: true,
    }),
    'mail.notifyOwners': asMessage('projectClaimed', claimed),
    'claims.rejectOthers': asMessage('projectClaimed', claimed),
    'projects.finishPurge': asMessage('projectPurged', { project_id: projects['projects.purge'] ?? '', slugs: [] }),
  };
  for (const { id } of subscriptions.filter((one) => !invokedHandlers().has(one.id))) {
    expect(messages, `There is no event for ${id}.`).toHaveProperty([id]);
    await expect(invoke(id, messages[id])).resolves.not.toThrow();
  }
});

it('all handlers were invoked, without a missing module or an uncaught error', () => {
  expect(handlerFiles.map(({ id }) => id).filter((id) => !invokedHandlers().has(id))).toEqual([]);
  expect(fixture.isolated.runs.filter(({ error }) => error !== undefined)).toEqual([]);
});

it('all handlers made no AWS call that their role does not allow', () => {
  expect(fixture.aws.denied).toEqual([]);
});
