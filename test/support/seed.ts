import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature, Route } from '#contract/route.ts';
import { insertDeadLetter } from '#data/dead-letters.ts';
import { openVoteCase } from '#data/vote-cases.ts';
import { newMessage } from '#events/catalogue.ts';
import { finishRevert } from '#events/subscriptions.ts';
import { siteFolder } from '#lib/site.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { unsubscribeHeaders } from '#services/mail/unsubscribe.ts';
import type { Client } from './client.ts';
import { category, Directory, dataOf, type Person, person, unique } from './fixtures.ts';
import { uploadFile } from './imports.ts';
import { type CreatedKey, createKey } from './keys.ts';
import { startPremium } from './payments.ts';
import { pathOf } from './requests.ts';
import { csv, importFile } from './uploads.ts';

/** A directory with one resource of each kind, owned by an administrator, so that every path refers to something. */
export interface Seeded {
  readonly directory: Directory;
  readonly admin: Person;
  /** An API key. */
  readonly key: CreatedKey;
  /** The path of a route with the ids of this directory's resources, except for the given values of variables. */
  pathOf(route: Route, others?: Readonly<Record<string, string>>): string;
  /** Whether there is a resource for every variable in the path of a route. */
  has(route: Route): boolean;
}

/** Restrictions on the seeded resources. */
interface Seeding {
  /** An existing administrator to use. */
  readonly admin?: Person;
  /** Resources of disabled features are not created. */
  readonly isOn?: (feature: Feature) => boolean;
  /** Creates nothing that sends requests to other systems: no checkout, and an inactive webhook without deliveries. */
  readonly isolated?: boolean;
}

const create = async (directory: Directory, path: string, body: unknown): Promise<string> => {
  const response = await directory.adminOk('POST', path, body, 201);
  return dataOf<{ id: string }>(response).id;
};

const webhookOf = async (directory: Directory, isolated: boolean): Promise<Record<string, string>> => {
  const webhook = await create(directory, '/api/admin/webhooks', {
    url: isolated ? `https://${unique('webhook')}.example.com/unused` : 'http://127.0.0.1:9/unused',
    kinds: ['projectSubmitted'],
    is_active: !isolated,
  });
  if (isolated) return { webhook };
  const ping = await directory.adminOk('POST', `/api/admin/webhooks/${webhook}/test`);
  return { webhook, delivery: dataOf<{ id: string }>(ping).id };
};

/** The batch of an import with a failed row. */
const batchOf = async ({ server, admin }: Directory): Promise<string> => {
  const report = await importFile(server, admin.token, csv(['name'], ['A test.']), { columns: { name: 'name' } });
  return report.batch_id ?? '';
};

/** The token by which a user unsubscribes from one kind of mail, signed by this process. */
const unsubscribeToken = async (userId: string): Promise<string> => {
  const headers = await unsubscribeHeaders({ userId, notification: 'weekly_digest' });
  return /\/api\/unsubscribe\/([^>]+)>/.exec(headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
};

/** A dead letter whose event no longer has an effect: its batch has expired. */
export const deadLetter = async (): Promise<string> => {
  const id = newId('ltr');
  const event = newMessage('revertDue', null, { batch_id: newId('bat') });
  await insertDeadLetter({
    id,
    subscriber: finishRevert.id,
    kind: event.kind,
    event_id: event.id,
    failed_at: event.occurred_at,
    error: null,
    event,
  });
  return id;
};

/** An open case of votes, without votes. */
const voteCase = async (projectId: string): Promise<string> => {
  const id = newId('vca');
  const counts = { votes: 0, new_accounts: 0, same_network: 0 };
  const decision = { state: 'open', decided_at: null, note: null } as const;
  await openVoteCase({ id, project_id: projectId, opened_at: now(), ...decision, ...counts, version: 1 }, []);
  return id;
};

/** Another user's claim of a listing. */
const claimOf = async (directory: Directory, projectId: string): Promise<string> => {
  const user = await person(directory.server);
  const path = `/api/projects/${projectId}/claims`;
  return dataOf<{ id: string }>(await directory.ok(user, 'POST', path, { method: 'manual' }, 201)).id;
};

/** The name of a built file of the pages. */
const siteFile = (): string => {
  const names = JSON.parse(readFileSync(join(siteFolder, 'assets.json'), 'utf8')) as Readonly<Record<string, string>>;
  return names['main.css'] ?? '';
};

/** Creates one resource of each kind. Unless `isolated`, webhooks to private addresses have to be allowed. */
export const seed = async (
  server: Client,
  { admin: existingAdmin, isOn = () => true, isolated = false }: Seeding = {},
): Promise<Seeded> => {
  const directory = await Directory.create(server, existingAdmin);
  const { admin } = directory;
  const { id: project, slug } = await directory.live(admin);
  const revisions = await directory.adminOk('GET', `/api/projects/${project}/revisions?limit=1`);
  const events = await directory.adminOk('GET', '/api/admin/events?limit=1');
  const key = await createKey(server, admin, ['projects:read']);
  const collectionSlug = unique('collection');
  const values: Record<string, string> = {
    project,
    revision: dataOf<{ id: string }[]>(revisions)[0]?.id ?? '',
    event: dataOf<{ id: string }[]>(events)[0]?.id ?? '',
    user: admin.id,
    ...(isOn('webhooks') && (await webhookOf(directory, isolated))),
    category: await create(directory, '/api/admin/categories', category()),
    ...(isOn('comments') && {
      comment: await create(directory, `/api/projects/${project}/comments`, { content: 'First.' }),
    }),
    ...(isOn('collections') && {
      collection: await create(directory, '/api/admin/collections', {
        title: unique('Collection'),
        slug: collectionSlug,
        project_ids: [project],
        is_public: true,
      }),
    }),
    ...(isOn('fields') && {
      field: await create(directory, '/api/admin/fields', {
        key: unique('field').replaceAll('-', '_'),
        type: 'number',
        label: 'A test',
      }),
    }),
    report: await create(directory, `/api/projects/${project}/report`, { reason: 'A test.' }),
    batch: await batchOf(directory),
    import: await uploadFile(directory, Buffer.from('name,url,description\nA test,,\n')),
    ...(isOn('follows') && {
      follow: await create(directory, '/api/me/follows', { query: { q: unique('tea') }, frequency: 'weekly' }),
    }),
    ...(isOn('drafts') && { draft: await create(directory, '/api/me/drafts', { content: {} }) }),
    reply: await create(directory, '/api/admin/replies', { name: 'A test', text: 'A test.' }),
    key: key.id,
    file: 'queue',
    rest: 'unknown',
    job: 'refresh-trending',
    // Written to the table of this process.
    ...(!isolated && { letter: await deadLetter() }),
    ...(isOn('claims') && { claim: await claimOf(directory, project) }),
    ...(!isolated && isOn('vote_review') && { case: await voteCase(project) }),
    ...(!isolated && isOn('email') && { token: await unsubscribeToken(admin.id) }),
    rule: await create(directory, '/api/admin/rules', {
      name: 'A test',
      is_active: false,
      when: { all: [{ domain_is_shortener: true }] },
      action: 'hold',
    }),
    ...(isOn('promotions') && {
      promotion: await create(directory, '/api/admin/promotions', {
        project_id: project,
        placements: ['catalog'],
        days: 9,
      }),
    }),
    ...(!isolated && { checkout: (await startPremium(directory, admin)).checkout_id }),
  };
  // Texts are settings of the whole stage.
  if (isOn('site') && !isolated) {
    await directory.adminOk('PUT', '/api/admin/site', { texts: { about: 'A test.', terms: 'A test.' } });
  }
  // An id leads from the address of a page to another one.
  const pages = {
    text: 'terms',
    project: slug,
    category: directory.category,
    collection: collectionSlug,
    file: siteFile(),
  };
  const files: Readonly<Record<string, string>> = {
    '/badges/{file}': `${slug}.svg`,
    '/sitemaps/{file}': 'pages.xml',
  };
  return {
    directory,
    admin,
    key,
    pathOf: (route, others = {}) => {
      const { [route.path]: file = values.file ?? '' } = files;
      return pathOf(route, { ...values, file, ...(route.errorPages && pages), ...others });
    },
    has: ({ path }) => [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => Object.hasOwn(values, name)),
  };
};
