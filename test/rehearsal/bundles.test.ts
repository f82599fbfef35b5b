import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { doorIdOf, routes } from '#contract/table.ts';
import { exists } from '#data/conditions.ts';
import { amongOpenCheckouts, checkoutKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import { SOURCE } from '#events/catalogue.ts';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { doors } from '#lib/doors.ts';
import { isStreamed } from '#lib/gateway/body.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { type Directory, dataOf, type Person, person, submission } from '#test/support/fixtures.ts';
import { type Furnished, furnish } from '#test/support/furnished.ts';
import { checkoutOf, decide, disputeOf, eventOf, signatureOf, startPremium } from '#test/support/payments.ts';
import { multipart } from '#test/support/requests.ts';
import { csv, readCsv } from '#test/support/uploads.ts';
import { CRON_SECRET, type Rehearsal, startRehearsal, WORDS } from './world.ts';

/**
 * Each function as it is uploaded: its bundle alone, in a Node process of its own, with the environment of its template and the
 * rights of its role, and nothing else. It answers what the gateway, the stream, the bus, the clock and Cognito send.
 */

let rehearsal: Rehearsal;
let furnished: Furnished;
let directory: Directory;
let admin: Person;
let leaver: Person;
let category: string;
let delivery: string;

/** How long things may take that follow one from another, in milliseconds: each takes a process or two. */
const WAIT_MS = 20_000;

/** Longer than the provider may be silent about a purchase before it is asked, in milliseconds. */
const SILENCE_MS = 20 * 60_000;

/** Projects in other states than live, by the route that they are for. */
let projects: Readonly<Record<string, string>>;

beforeAll(async () => {
  rehearsal = await startRehearsal();
  furnished = await furnish(rehearsal.world);
  ({ directory, admin } = furnished);
  leaver = await person(rehearsal.world);
  const [pending, hopeless, removed, purged] = await Promise.all([
    directory.submit(admin),
    directory.project('rejected', admin),
    directory.live(admin),
    directory.live(admin),
  ]);
  const rejectable = await directory.submit(admin);
  projects = {
    'projects.approve': pending.id,
    'projects.reject': rejectable.id,
    'projects.resubmit': hopeless.id,
    'projects.remove': removed.id,
    'projects.purge': purged.id,
  };
  category = dataOf<{ id: string }[]>(await directory.get('/api/categories'))[0]?.id ?? '';
  // The project that was submitted after the webhook was made.
  await rehearsal.world.until(async () => {
    const { path } = requestFor(routeOf('webhooks.listDeliveries'));
    delivery = dataOf<{ id: string }[]>(await directory.get(path, admin))[0]?.id ?? '';
    return delivery !== '';
  });
}, 180_000);

afterAll(async () => {
  await rehearsal.stop();
}, 60_000);

/** What is sent beside method and path: a body that the route takes. */
const bodies: Readonly<Record<string, () => unknown>> = {
  'projects.submit': () => submission({ categories: [directory.category] }),
  'projects.update': () => ({ description: 'Said in other words.' }),
  'projects.resubmit': () => ({ description: 'Said better.' }),
  'projects.edit': () => ({ description: 'Said by an administrator.' }),
  'projects.bulk': () => ({ action: 'delete', ids: ['nobody'] }),
  'projects.reject': () => ({ reason: 'Not yet.' }),
  'comments.add': () => ({ content: 'Second.' }),
  'comments.update': () => ({ content: 'First, corrected.' }),
  'ratings.rate': () => ({ rating: 5 }),
  'categories.create': () => ({ name: 'Rehearsed' }),
  'categories.reorder': () => [{ id: category, sort_order: 3 }],
  'categories.update': () => ({ description: 'What is in it.' }),
  'users.updateProfile': () => ({ bio: 'Somebody.' }),
  'users.updateSettings': () => ({ notifications: {} }),
  'users.update': () => ({ is_banned: false }),
  'settings.updateLayout': () => ({ card: { showLogo: false } }),
  'settings.updateTheme': () => ({ radius: '4px' }),
  'settings.updateMap': () => ({ lighting: 'dusk' }),
  'webhooks.create': () => ({ url: 'http://127.0.0.1:9/else', kinds: ['projectApproved'] }),
  'webhooks.update': () => ({ description: 'Nobody.' }),
  'reports.file': () => ({ reason: 'To try it again.' }),
  'reports.settle': () => ({ status: 'dismissed' }),
  'ai.generate': () => ({ type: 'tags', name: 'Some listing', url: 'https://some.example.com/' }),
  'analytics.track': () => ({ type: 'pageview', path: '/' }),
  'payments.startCheckout': () => ({ kind: 'upgrade', project_id: projects['projects.approve'] }),
  'promotions.update': () => ({ cta_text: 'Go there' }),
  'promotions.grant': () => ({ project_id: projects['projects.purge'], placements: ['detail'], days: 3 }),
  'promotions.administer': () => ({ action: 'extend', days: 2 }),
};

/** Everything that reads, then everything that writes, then everything that takes away. */
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
  if (route.id === 'users.votes') return `${route.path}?ids=${projects['projects.approve']}`;
  if (route.id === 'health.read') return `${route.path}?deep=1`;
  return route.path.includes('{delivery}')
    ? furnished.pathOf(route).replace(/(?<=deliveries\/)[^/]+/, delivery)
    : furnished.pathOf(route);
};

const requestFor = (route: Route) => {
  const body = bodies[route.id]?.();
  const token = route.id === 'users.erase' ? leaver.token : admin.token;
  return {
    path: pathFor(route),
    options: {
      ...(body !== undefined && { body }),
      ...(route.auth === 'cron' && { headers: { authorization: `Bearer ${CRON_SECRET}` } }),
      ...(['user', 'admin', 'optional'].includes(route.auth) && { token }),
    },
  };
};

/** Starts a door with an event that no route sends. */
const start = async (door: string, event: unknown): Promise<unknown> =>
  await (await rehearsal.bare.importDoor(door))(event, lambdaContext(door, 'rehearsal', 60));

const asMessage = (kind: string, data: object) => ({
  source: SOURCE,
  'detail-type': kind,
  detail: { id: `evt_${'0'.repeat(20)}REHEAR`, kind, occurred_at: new Date().toISOString(), actor_id: admin.id, data },
});

const startedDoors = (): Set<string> => new Set(rehearsal.bare.runs.map(({ door }) => door));

// Every answer is held to the document on its way, too.
describe('a route by itself', () => {
  it.each(inOrder)('answers $method $path well', async (route) => {
    const { path, options } = requestFor(route);
    const answer = await rehearsal.world.call(route.method, path, options);
    const good = Object.keys(route.replies).map(Number);
    expect(good, JSON.stringify(answer.body)).toContain(answer.status);
  });
});

describe('what is answered', () => {
  it('is the list, to anybody', async () => {
    const { body } = await rehearsal.world.call('GET', '/api/projects');
    expect(body).toMatchObject({ meta: { total: expect.any(Number) as number, page: 1 } });
    expect(dataOf<{ name: string }[]>({ body }).length).toBeGreaterThan(0);
  });

  it('is a profile to whoever it belongs to, and a refusal to whoever has no token', async () => {
    expect(dataOf(await directory.get('/api/user/profile', admin))).toMatchObject({ id: admin.id, email: admin.email });
    expect(await directory.get('/api/user/profile')).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });

  it('is everything to administrators only', async () => {
    expect(await directory.get('/api/admin/users', admin)).toMatchObject({ status: 200 });
    const nobody = await person(rehearsal.world);
    expect(await directory.get('/api/admin/users', nobody)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('is what the model says, in the role that may ask it', async () => {
    const answer = await directory.as(admin, 'POST', '/api/ai/generate', bodies['ai.generate']?.());
    expect(dataOf(answer)).toMatchObject({ tags: JSON.parse(WORDS) as unknown });
  });

  it('is a run of a job to whoever knows the secret that its role may read', async () => {
    const call = (secret: string) =>
      rehearsal.world.call('POST', '/api/cron/refresh-trending', { headers: { authorization: `Bearer ${secret}` } });
    expect(await call(CRON_SECRET)).toMatchObject({ status: 200, body: { data: { job: 'refresh-trending' } } });
    expect(await call('another')).toMatchObject({ status: 401 });
  });

  it('is a file piece by piece', async () => {
    const answer = await directory.get('/api/admin/projects/export', admin);
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const names = readCsv(String(answer.body)).map((record) => record[1]);
    expect(names.length).toBeGreaterThan(2);
    expect(routes.filter(isStreamed).map(doorIdOf)).toContain('projects.exportCsv');
  });

  it('is a report on a file that came as a form', async () => {
    const file = csv(['name', 'url'], ['Imported', 'https://imported.example.com/']);
    const form = await multipart({
      file: new Blob([file], { type: 'text/csv' }),
      mapping: '{"name":"name","url":"url"}',
    });
    const answer = await rehearsal.world.call('POST', '/api/admin/projects/import', { token: admin.token, ...form });
    expect(answer).toMatchObject({ status: 200 });
  });

  it(
    'is thanks to the payment provider where its signature fits, and a purchase is settled',
    async () => {
      const payload = JSON.stringify(eventOf('charge.updated', {}));
      const call = (signature: string, rawBody = payload) =>
        rehearsal.world.call('POST', '/api/webhooks/stripe', {
          rawBody,
          headers: { 'stripe-signature': signature },
        });
      expect(await call(signatureOf(payload))).toMatchObject({ status: 200 });
      expect(await call(signatureOf(payload, { secret: 'whsec_other' }))).toMatchObject({ status: 400 });
      const checkout = furnished.pathOf(routeOf('payments.readCheckout')).split('/').at(-1) ?? '';
      await decide(directory, checkout, 'paid');
      await rehearsal.world.until(
        async () => (await checkoutOf(directory, admin, checkout)).status === 'fulfilled',
        WAIT_MS,
      );
      // The stream has started the publisher, the bus its subscriber, and that one has written a letter.
      await rehearsal.world.until(async () => startedDoors().has('mail.tellBuyer'), WAIT_MS);
      await rehearsal.world.until(
        async () =>
          (await rehearsal.world.mails()).some(
            ({ to, subject }) => to === admin.email && /pa(?:id|yment)/i.test(subject),
          ),
        WAIT_MS,
      );
      // A dispute names only the payment. Of one that is not known here the provider is asked what was bought with it.
      const dispute = JSON.stringify(eventOf('charge.dispute.created', disputeOf('somewhere_else')));
      expect(await call(signatureOf(dispute), dispute)).toMatchObject({ status: 200 });
    },
    3 * WAIT_MS,
  );
});

describe('what no route starts', () => {
  it('an open checkout is asked about when the provider has been silent', async () => {
    const { checkout_id } = await startPremium(directory, admin);
    const openedAt = new Date(Date.now() - SILENCE_MS).toISOString();
    const set = { created_at: openedAt, ...amongOpenCheckouts(openedAt, checkout_id) };
    expect(await updateItem(checkoutKey(checkout_id), { set }, exists)).toBeDefined();
    expect(await start('cron.reconcilePayments', { schedule: 'cron.reconcilePayments' })).toMatchObject({
      processed: 1,
      failed: 0,
    });
  });

  it.each(jobs)('$route.id runs by its schedule', async ({ route }) => {
    expect(await start(doorIdOf(route), { schedule: route.id })).toMatchObject({ job: expect.any(String) as string });
  });

  it('the trigger adds claims to a token', async () => {
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
    expect(await start('identity.addClaims', event)).toMatchObject({
      response: {
        claimsAndScopeOverrideDetails: {
          accessTokenGeneration: { claimsToAddOrOverride: { email: 'ada@example.com' } },
        },
      },
    });
  });

  it('mail that came back is noted', async () => {
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
    await start('mail.noteReturn', event);
    expect(rehearsal.aws.calls.get('mail.noteReturn')).toContainEqual(
      expect.objectContaining({ leadingKey: 'MAIL_STOP#' }),
    );
  });

  it('subscribers that nothing here has started take what the bus would bring', async () => {
    const checkout = furnished.pathOf(routeOf('payments.readCheckout')).split('/').at(-1) ?? '';
    const messages: Readonly<Record<string, object>> = {
      'payments.giveBack': asMessage('refundDue', { checkout_id: checkout }),
      'mail.tellAdmins': asMessage('webhookDisabled', {
        webhook_id: 'whk_none',
        host: 'webhooks.example',
        failing_since: new Date().toISOString(),
      }),
      'categories.finishChange': asMessage('categoryRenamed', { category_id: category, from: 'none', to: 'other' }),
      'users.finishErasure': asMessage('userErased', { user_id: leaver.id, projects: 'keep' }),
      'promotions.endOfProject': asMessage('projectDeleted', { project_id: 'prj_none', slug: 'none', permanent: true }),
      'projects.finishPurge': asMessage('projectPurged', { project_id: projects['projects.purge'] ?? '', slugs: [] }),
    };
    for (const { id } of subscriptions.filter((one) => !startedDoors().has(one.id))) {
      expect(messages, `Say what ${id} is told.`).toHaveProperty([id]);
      await expect(start(id, messages[id])).resolves.not.toThrow();
    }
  });
});

describe('all together', () => {
  it('every door has been opened, and no process has missed a module or thrown', () => {
    expect(doors.map(({ id }) => id).filter((id) => !startedDoors().has(id))).toEqual([]);
    expect(rehearsal.bare.runs.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('nobody has asked AWS for anything that its role does not allow', () => {
    expect(rehearsal.aws.denied).toEqual([]);
  });
});
