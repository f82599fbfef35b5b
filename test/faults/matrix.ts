import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Comment } from '#contract/comments.ts';
import type { DeadLetter } from '#contract/dead-letters.ts';
import type { ImportUpload } from '#contract/imports.ts';
import type { Project } from '#contract/projects.ts';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { insertDeadLetter } from '#data/dead-letters.ts';
import { insertCheckout, saveSession } from '#data/payments.ts';
import { notifySubmitter, runImport, subscriptions } from '#events/subscriptions.ts';
import { type ImportHandler, importHandler } from '#local/handlers.ts';
import { STORAGE_PATH } from '#local/object-storage.ts';
import { newCheckout } from '#model/payment.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { openSession } from '#platform/stripe.ts';
import { type CallResponse, type Client, clientOf } from '#test/support/client.ts';
import { assertMatchesDocument } from '#test/support/conformance.ts';
import {
  Directory,
  dataOf,
  metaOf,
  type Person,
  person,
  type Submitted,
  submission,
  unique,
} from '#test/support/fixtures.ts';
import { announce, cancelWaiting, IMPORTS, readImport, startImport, uploadFile } from '#test/support/imports.ts';
import { CRON_SECRET } from '#test/support/jobs.ts';
import { chooseOutcome, ledgerOf, type StartedCheckout } from '#test/support/payments.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { type Decisions, decisionRequests, inspectDecisions, prepareDecisions, repeatDecisions } from './decisions.ts';
import { type Dependencies, type DependencyName, type FaultName, faultsOf, startDependencies } from './dependencies.ts';
import { faultsPage, type Results } from './page.ts';

/** What callers receive while a dependency fails, and what is stored after it has recovered. */

let dependencies: Dependencies;
let receiver: Receiver;
let server: TestServer;
/** While the table is slow, the rate counter is too, so no quota headers are required. */
let client: Client;
let directory: Directory;

/** The longest run of each function, in milliseconds. */
const longestRun = new Map<string, number>();

/** The imports whose runs wait until the fault has begun, by their ids. */
const heldImports = new Map<string, PromiseWithResolvers<void>>();

const untilReleased = async (event: unknown): Promise<void> => {
  const { detail } = event as { detail: { data: { import_id: string } } };
  await heldImports.get(detail.data.import_id)?.promise;
};

const timing: ImportHandler = async (id) => {
  const handler = await importHandler(id);
  const timed = async (...given: Parameters<typeof handler>) => {
    if (id === runImport.id) await untilReleased(given[0]);
    const startedAt = performance.now();
    try {
      return await handler(...given);
    } finally {
      longestRun.set(id, Math.max(longestRun.get(id) ?? 0, performance.now() - startedAt));
    }
  };
  // Streaming handlers are marked by a property.
  return Object.assign(timed, handler);
};

const TIMEOUT_SECONDS = 10;
const GATEWAY_SECONDS = 29;
const SUBSCRIBER_SECONDS = 30;
const PUBLISHER_SECONDS = 60;
/** A busy machine runs timers late. A call without a deadline takes some attempts of the SDK longer, of five seconds each. */
const LATE_MS = 2000;

/** After how many seconds the response of a route has to begin, or the function of a subscription has to end. */
const timeLimits = new Map<string, number>([
  ...routes.map(
    (route: Route) => [route.id, Math.min(route.timeoutSeconds ?? TIMEOUT_SECONDS, GATEWAY_SECONDS)] as const,
  ),
  ...subscriptions.map(
    (one) => [one.id, ('timeoutSeconds' in one && one.timeoutSeconds) || SUBSCRIBER_SECONDS] as const,
  ),
  ['events.publish', PUBLISHER_SECONDS],
]);

const startAll = async (): Promise<void> => {
  dependencies = await startDependencies();
  receiver = await startReceiver();
  server = await startTestServer({
    env: { ...dependencies.env, RATE_COUNTER_TIMEOUT_MS: '300', WEBHOOK_ALLOW_PRIVATE: 'on' },
    keysUrl: dependencies.keysUrl,
    timeoutFactor: 1,
    importHandler: timing,
  });
  await dependencies.connect({ ...server.server, url: server.url });
  client = clientOf(server.url, { check: (seen) => assertMatchesDocument({ ...seen, uncounted: true }) });
  directory = await Directory.create(client);
  await directory.adminOk('POST', '/api/admin/webhooks', { url: receiver.url, kinds: ['projectApproved'] }, 201);
  await insertOpenCheckout();
};

const stopAll = async (): Promise<void> => {
  client.close();
  await server.stop();
  await receiver.stop();
  await dependencies.stop();
};

const HALF_HOUR_MS = 30 * 60_000;

/** Inserts a checkout that is old enough for the reconciliation, which then asks the provider about it in every run. */
const insertOpenCheckout = async (): Promise<void> => {
  const buyer = await person(client);
  await directory.ok(buyer, 'GET', '/api/user/profile');
  const at = new Date(Date.now() - HALF_HOUR_MS).toISOString();
  const order = { kind: 'upgrade', title: 'Premium', amount: 4900, currency: 'usd', projectId: 'prj_none' } as const;
  const checkout = newCheckout(order, 'chk_01K00000000000000000000000', buyer.id, at);
  await insertCheckout(checkout, undefined);
  await saveSession(checkout.id, await openSession(checkout, { email: buyer.email }));
};

/** The people and projects of one scenario. */
interface Scene {
  readonly owner: Person;
  readonly reader: Person;
  readonly admin: Person;
  readonly pending: Submitted;
  readonly live: Submitted;
  /** The name of the project that is submitted during the fault. */
  readonly newName: string;
  readonly operations: Operations;
  /** Where the fault can concern them. */
  readonly decisions: Decisions | undefined;
}

interface Operations {
  readonly imports: Imports;
  readonly letters: Letters;
}

/** An import of one row with this name. */
interface NamedImport {
  readonly id: string;
  readonly name: string;
}

interface Imports {
  /** Without a file. */
  readonly announced: NamedImport & Pick<ImportUpload, 'upload'>;
  readonly uploaded: NamedImport;
  readonly toStart: NamedImport;
  readonly toCancel: NamedImport;
  /** Its run begins with the fault. */
  readonly started: NamedImport;
}

/** Two events that the subscriber of mails to submitters did not process. */
interface Letters {
  /** Gets a mail about each. */
  readonly owner: Person;
  /** The project of the first event. */
  readonly replayed: Submitted;
  /** The id of the letter of the first event. */
  readonly toReplay: string;
  /** The id of the second event, which is in the dead-letter queue. */
  readonly queuedEvent: string;
}

const bus = () => server.server.bus;

const isDelivered = (): boolean =>
  bus()
    .events({ includeTasks: true, limit: 200 })
    .every(({ deliveries }) => deliveries.every(({ state }) => state === 'done' || state === 'moved'));

interface PublishedMessage {
  readonly id: string;
  readonly kind: string;
  readonly data: { readonly project_id?: string };
}

const publishedAbout = (...projectIds: readonly string[]): PublishedMessage[] =>
  bus()
    .events({ includeTasks: true, limit: 200 })
    .map(({ detail }) => detail as unknown as PublishedMessage)
    .filter(({ data }) => projectIds.includes(data.project_id ?? ''));

const mapping = { columns: { name: 'name', url: 'url', description: 'description' } };

const fileOf = (name: string): Buffer =>
  Buffer.from(`name,url,description\n${name},https://${name}.example.com/,Text\n`);

const uploadedImport = async (): Promise<NamedImport> => {
  const name = unique('row');
  return { id: await uploadFile(directory, fileOf(name)), name };
};

const prepareImports = async (): Promise<Imports> => {
  // Those of the scenarios before.
  await cancelWaiting(directory);
  const name = unique('row');
  const announced = { ...(await announce(directory, fileOf(name).length)), name };
  const started = await uploadedImport();
  heldImports.set(started.id, Promise.withResolvers());
  await startImport(directory, started.id, mapping);
  return {
    announced,
    uploaded: await uploadedImport(),
    toStart: await uploadedImport(),
    toCancel: await uploadedImport(),
    started,
  };
};

/** Moves the delivery of an event to the dead-letter queue of its subscriber, as if all attempts had failed. */
const moveToQueue = (eventId: string): void => {
  const journal = new DatabaseSync(path.join(server.server.dataDir, 'journal.sqlite'), { timeout: 2000 });
  try {
    journal
      .prepare(
        `UPDATE deliveries SET state = 'dead', due = ?, error = 'Failed.'
         WHERE subscription = ? AND event IN (SELECT number FROM events WHERE json_extract(detail, '$.id') = ?)`,
      )
      .run(Date.now(), notifySubmitter.id, eventId);
  } finally {
    journal.close();
  }
};

/** @param live its submission has been mailed already; as another event it is mailed again. */
const prepareLetters = async (owner: Person, pending: Submitted, live: Submitted): Promise<Letters> => {
  const submissionOf = ({ id }: Submitted): PublishedMessage => {
    const message = publishedAbout(id).find(({ kind }) => kind === 'projectSubmitted');
    if (!message) throw new Error(`The submission of ${id} was not published.`);
    return message;
  };
  const event = { ...submissionOf(live), id: newId('evt') };
  const { id: event_id, kind } = event;
  const toReplay = newId('ltr');
  const subscriber = notifySubmitter.id;
  await insertDeadLetter({ id: toReplay, subscriber, kind, event_id, failed_at: now(), error: null, event });
  const queuedEvent = submissionOf(pending).id;
  moveToQueue(queuedEvent);
  return { owner, replayed: live, toReplay, queuedEvent };
};

/** What votes, claims, publications and digests depend on. */
const needDecisions: ReadonlySet<DependencyName> = new Set(['table', 'feed', 'bus', 'mail']);

/** @param name the issuer has not signed with the keys of the tokens before. */
const prepare = async (name: DependencyName): Promise<Scene> => {
  const [owner, reader] = await Promise.all([person(client), person(client)]);
  const [pending, live] = await Promise.all([directory.submit(owner), directory.live(owner)]);
  await directory.ok(reader, 'GET', '/api/user/profile');
  await client.until(async () => publishedAbout(pending.id).length > 0 && isDelivered());
  // The catalog of every function contains the projects.
  await client.until(async () => {
    const listed = await directory.get(`/api/me/submissions`, owner);
    return dataOf<Project[]>(listed).length === 2;
  });
  const resigned = async (who: Person): Promise<Person> =>
    name === 'issuer' ? { ...who, token: await dependencies.signWithNewKey(who.token) } : who;
  const admin = await resigned(directory.admin);
  const decisions = needDecisions.has(name) ? await prepareDecisions(directory) : undefined;
  return {
    owner: await resigned(owner),
    reader: await resigned(reader),
    admin,
    decisions,
    pending,
    live,
    newName: unique('during'),
    operations: { imports: await prepareImports(), letters: await prepareLetters(owner, pending, live) },
  };
};

const submit = ({ owner, newName }: Scene): Promise<CallResponse> => {
  const url = `https://${newName}.example.com/`;
  const body = submission({ name: newName, url, categories: [directory.category] });
  return directory.as(owner, 'POST', '/api/projects', body, { 'idempotency-key': newName });
};
const vote = ({ reader, live }: Scene) => directory.as(reader, 'PUT', `/api/projects/${live.id}/upvote`);
const comment = ({ reader, live }: Scene) => {
  const target = `/api/projects/${live.id}/comments`;
  return directory.as(reader, 'POST', target, { content: 'Hello.' }, { 'idempotency-key': live.id });
};
const checkout = ({ owner, live }: Scene) => {
  const body = { kind: 'upgrade', project_id: live.id };
  return directory.as(owner, 'POST', '/api/payments/checkout', body, { 'idempotency-key': live.id });
};
const approve = ({ admin, pending }: Scene) => directory.as(admin, 'PUT', `/api/admin/projects/${pending.id}/approve`);
const administer = (method: string, target: string, body?: unknown) =>
  directory.as(directory.admin, method, target, body);
const start = ({ imports }: Operations) => administer('POST', `${IMPORTS}/${imports.toStart.id}/start`, { mapping });
const cancel = ({ imports }: Operations) => administer('POST', `${IMPORTS}/${imports.toCancel.id}/cancel`);
const LETTERS = '/api/admin/dead-letters';
const replay = ({ letters }: Operations) => administer('POST', `${LETTERS}/${letters.toReplay}/replay`);

/** How long a client waits for the storage, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 5000;
const NO_RESPONSE: CallResponse = { status: 0, headers: new Headers(), body: undefined };

/** Sends the file to the storage. */
const upload = async ({ imports: { announced } }: Operations): Promise<CallResponse> => {
  const { method, url, headers } = announced.upload;
  const signal = AbortSignal.timeout(UPLOAD_TIMEOUT_MS);
  const body = new Uint8Array(fileOf(announced.name));
  try {
    const response = await fetch(url, { method, headers, body, signal });
    const code = /<Code>(\w+)/.exec(await response.text())?.[1];
    return { status: response.status, headers: response.headers, body: { code } };
  } catch {
    return NO_RESPONSE;
  }
};

const runJob = (name: string) =>
  client.call('POST', `/api/cron/${name}`, { headers: { authorization: `Bearer ${CRON_SECRET}` } });

/** Answered by the storage, not by this service. */
const UPLOAD = 'S3 receives a file';

/** The requests during a fault, by their names on the page. */
const requests: Readonly<Record<string, (scene: Scene) => Promise<CallResponse>>> = {
  'A visitor lists projects': () => client.call('GET', '/api/projects'),
  'A user reads a project': ({ reader, live }) => directory.get(`/api/projects/${live.id}`, reader),
  'A user submits a project': submit,
  'A user votes': vote,
  'A user comments': comment,
  'A user exports their data': ({ owner }) => directory.get('/api/user/export', owner),
  'A buyer starts a checkout': checkout,
  'An administrator approves': approve,
  'The job `refresh-trending`': () => runJob('refresh-trending'),
  'The job `reconcile-payments`': () => runJob('reconcile-payments'),
};

/** Further ones, of imports and dead letters. */
const operationRequests: Readonly<Record<string, (operations: Operations) => Promise<CallResponse>>> = {
  'An administrator lists imports': () => administer('GET', IMPORTS),
  'An administrator previews a file': ({ imports }) => administer('GET', `${IMPORTS}/${imports.uploaded.id}/preview`),
  'An administrator starts an import': start,
  'An administrator cancels an import': cancel,
  [UPLOAD]: upload,
  'An administrator reads the summary': () => administer('GET', '/api/admin/summary'),
  'An administrator lists dead letters': () => administer('GET', LETTERS),
  'An administrator replays a dead letter': replay,
  'The job `collect-dead-letters`': () => runJob('collect-dead-letters'),
};

const requestsOf = (scene: Scene): (readonly [string, () => Promise<CallResponse>])[] => {
  const { operations, decisions } = scene;
  return [
    ...Object.entries(requests).map(([title, send]) => [title, () => send(scene)] as const),
    ...Object.entries(operationRequests).map(([title, send]) => [title, () => send(operations)] as const),
    ...(decisions
      ? Object.entries(decisionRequests).map(([title, send]) => [title, () => send(decisions)] as const)
      : []),
  ];
};

const describeResponse = async (response: Promise<CallResponse>): Promise<string> => {
  const { status, body } = await response;
  const { code, data } = (body ?? {}) as { code?: string; data?: { failed?: number } };
  if (status === NO_RESPONSE.status) return 'no response';
  if (code !== undefined) return `${status} ${code}`;
  return data?.failed ? `${status}, ${data.failed} failed` : String(status);
};

/** Whether a fault has lasted long enough, once the requests are answered: publishers and subscribers have tried again. */
const hasEffect = ({ pending, operations, decisions }: Scene, name: DependencyName, fault: FaultName): boolean => {
  if (fault === 'is slow') return dependencies.hits() > 0;
  if (name === 'bus') return dependencies.repetitions(pending.id) > 0;
  if (name === 'mail') {
    return [pending.slug, decisions?.claimant.email ?? ''].every((text) => dependencies.repetitions(text) > 0);
  }
  if (name === 'storage') return dependencies.repetitions(operations.imports.started.id) > 0;
  return dependencies.hits() > 0;
};

const sendDuring = async (scene: Scene, name: DependencyName, fault: FaultName): Promise<Record<string, string>> => {
  const dependency = dependencies.byName[name];
  longestRun.clear();
  dependency.start(fault);
  for (const held of heldImports.values()) held.resolve();
  try {
    const responses = requestsOf(scene).map(async ([title, send]) => [title, await describeResponse(send())] as const);
    const results = Object.fromEntries(await Promise.all(responses));
    await client.until(async () => hasEffect(scene, name, fault));
    return results;
  } finally {
    dependency.recover();
  }
};

/** Repeats a request as a client does, until it succeeds or needs no repetition any more. */
const repeat = (send: () => Promise<CallResponse>, ...statuses: readonly number[]): Promise<void> =>
  client.until(async () => statuses.includes((await send()).status));

const commentsOf = async ({ live }: Scene): Promise<Comment[]> =>
  dataOf<Comment[]>(await directory.ok(undefined, 'GET', `/api/projects/${live.id}/comments`));

/** Continues the checkout up to the premium plan. */
const pay = async (scene: Scene): Promise<void> => {
  await repeat(() => checkout(scene), 200);
  const { checkout_id } = dataOf<StartedCheckout>(await checkout(scene));
  await chooseOutcome(directory, checkout_id, 'paid');
  await client.until(async () => (await directory.read(scene.live.id)).plan === 'premium');
};

/** 404, 409 and 412: the request without a response was successful. */
const repeatOperations = async (operations: Operations): Promise<void> => {
  await Promise.all([
    repeat(() => start(operations), 202, 409),
    repeat(() => cancel(operations), 200, 409),
    repeat(() => upload(operations), 200, 412),
    repeat(() => replay(operations), 202, 404),
  ]);
};

/** Repeats every request that a client cannot know to have succeeded. */
const repeatAll = async (scene: Scene): Promise<void> => {
  await Promise.all([
    repeat(() => submit(scene), 201),
    repeat(() => vote(scene), 200),
    // 409: it was approved by the request without a response.
    repeat(() => approve(scene), 200, 409),
    repeat(() => comment(scene), 201),
    pay(scene),
    repeat(() => runJob('refresh-trending'), 200),
    repeat(() => runJob('reconcile-payments'), 200),
    repeatOperations(scene.operations),
    scene.decisions && repeatDecisions(scene.decisions),
  ]);
};

const webhookMessages = ({ pending }: Scene): string[] =>
  receiver.received.filter(({ body }) => body.includes(pending.id)).map(({ headers }) => String(headers['webhook-id']));

const approvalMails = async ({ owner, pending }: Scene) =>
  (await client.mails()).filter(({ to, subject }) => to === owner.email && subject === `${pending.slug} is live`);

/** The mails about the replayed event, and about the one before it. */
const submissionMails = async ({ letters: { owner, replayed } }: Operations) =>
  (await client.mails()).filter(
    ({ to, subject }) => to === owner.email && subject === `We have received ${replayed.slug}`,
  );

/** Runs are repeated with growing pauses, and the messages of a lost response are hidden for 30 seconds. */
const COMPLETED_MS = 120_000;

const lettersOf = async ({ letters }: Operations): Promise<DeadLetter[]> => {
  const listed = dataOf<DeadLetter[]>(await directory.adminOk('GET', LETTERS));
  return listed.filter(({ id, event_id }) => id === letters.toReplay || event_id === letters.queuedEvent);
};

const projectsOf = async ({ name }: NamedImport): Promise<number> =>
  metaOf(await directory.adminOk('GET', `/api/admin/projects?status=all&q=${name}`)).total;

const isFileStored = async ({ id }: NamedImport): Promise<boolean> => {
  const response = await fetch(`${server.url}${STORAGE_PATH}/uploads/${id}`, { headers: { range: 'bytes=0-0' } });
  await response.arrayBuffer();
  return response.status === 206;
};

/** Waits until imports have ended, their files are deleted, and dead letters are collected and replayed. */
const untilCompleted = async (operations: Operations): Promise<void> => {
  const { announced, uploaded, started, toStart, toCancel } = operations.imports;
  await client.until(async () => {
    for (const ended of [started, toStart]) {
      const counts = expect.objectContaining({ created: 1, failed: 0 });
      expect(await readImport(directory, ended.id)).toMatchObject({ state: 'done', counts });
      expect(await projectsOf(ended)).toBeGreaterThan(0);
    }
    for (const { id } of [announced, uploaded]) {
      expect(await readImport(directory, id)).toMatchObject({ state: 'uploaded' });
    }
    expect(await readImport(directory, toCancel.id)).toMatchObject({ state: 'cancelled', batch_id: null });
    for (const ended of [started, toStart, toCancel]) expect(await isFileStored(ended)).toBe(false);
    return (await submissionMails(operations)).length > 1;
  }, COMPLETED_MS);
  await client.until(async () => {
    await runJob('collect-dead-letters');
    return bus().deadMessages(notifySubmitter.id).length === 0;
  }, COMPLETED_MS);
  heldImports.delete(started.id);
};

/** What can arrive more than once. */
const isMailed = (title: string): boolean => title.startsWith('Emails') || title.startsWith('Digests');

const howOften = (count: number): string => (count > 1 ? 'repeated' : String(count));

const inspectOperations = async (operations: Operations): Promise<Record<string, string>> => {
  const { imports } = operations;
  await untilCompleted(operations);
  return {
    'Projects of the import that was started': String(await projectsOf(imports.toStart)),
    'Projects of the import that was running': String(await projectsOf(imports.started)),
    'Letters of the event in the queue': String((await lettersOf(operations)).length),
    // The first one is older than the letter.
    'Emails about the replayed event': howOften((await submissionMails(operations)).length - 1),
  };
};

/** What is found once everything has been repeated and delivered, by its name on the page. */
const inspect = async (scene: Scene): Promise<Record<string, string>> => {
  const { owner, live, pending, newName, operations } = scene;
  const operated = await inspectOperations(operations);
  const decided = scene.decisions ? await inspectDecisions(scene.decisions) : {};
  await client.until(async () => {
    await runJob('retry-webhooks');
    return isDelivered() && webhookMessages(scene).length > 0 && (await approvalMails(scene)).length > 0;
  });
  const own = dataOf<Project[]>(await directory.get('/api/me/submissions?limit=100', owner));
  const events = publishedAbout(pending.id, live.id, ...own.map(({ id }) => id));
  const approvals = events.filter(({ kind, data }) => kind === 'projectApproved' && data.project_id === pending.id);
  expect(new Set(approvals.map(({ id }) => id)).size).toBe(1);
  expect(new Set(webhookMessages(scene)).size).toBe(1);
  expect(await directory.read(pending.id)).toMatchObject({ status: 'live' });
  return {
    'Projects of the submission': String(own.filter(({ slug }) => slug.startsWith(newName)).length),
    'Votes counted': String((await directory.read(live.id)).upvote_count),
    'Comments listed': String((await commentsOf(scene)).length),
    'Payments in the ledger': String((await ledgerOf(directory, owner)).length),
    'Publications of each event': howOften(
      Math.max(...Object.values(Object.groupBy(events, ({ id }) => id)).map((same) => same?.length ?? 0)),
    ),
    'Emails about the approval': howOften((await approvalMails(scene)).length),
    'Webhook messages about the approval': howOften(webhookMessages(scene).length),
    ...operated,
    ...Object.fromEntries(
      Object.entries(decided).map(([title, count]) => [title, isMailed(title) ? howOften(count) : String(count)]),
    ),
  };
};

const mustBeInTime = (): void => {
  const late = [...longestRun].flatMap(([id, ms]) => {
    const seconds = timeLimits.get(id);
    return seconds !== undefined && ms > seconds * 1000 + LATE_MS ? [`${id} ran for ${Math.round(ms)} ms`] : [];
  });
  expect(late).toEqual([]);
};

/** What may happen more than once: the response to the first time was lost. */
const mayRepeat: Readonly<Record<string, readonly string[]>> = {
  'bus loses responses': ['Publications of each event'],
  'mail loses responses': [
    'Emails about the approval',
    'Emails about the replayed event',
    'Emails about the approved claim',
    'Digests of the follow',
  ],
};

/**
 * Registers the tests of a dependency. Their results are a page of `docs/faults/`; a test fails when the page differs from them, and the
 * option `-u` of Vitest writes it.
 */
export const testFaultsOf = (name: DependencyName): void => {
  const results: Record<string, Results> = {};

  beforeAll(startAll);
  afterAll(stopAll);

  it.each(faultsOf[name])(`${name} %s: responses are in time, and nothing is lost or doubled`, async (fault) => {
    const scene = await prepare(name);
    const during = await sendDuring(scene, name, fault);
    mustBeInTime();
    const { [UPLOAD]: _, ...responses } = during;
    expect(Object.entries(responses).filter(([, response]) => response.startsWith('500'))).toEqual([]);
    await repeatAll(scene);
    const afterwards = await inspect(scene);
    for (const [title, count] of Object.entries(afterwards)) {
      expect([title, count]).toEqual([title, mayRepeat[`${name} ${fault}`]?.includes(title) ? 'repeated' : '1']);
    }
    results[fault] = { during, afterwards };
  });

  it('the page in docs/faults has these results', async () => {
    await expect(faultsPage(name, results)).toMatchFileSnapshot(`../../docs/faults/${name}.md`);
  });
};
