import type { Route } from '#contract/route.ts';
import type { CallResponse } from './client.ts';
import { category, type Directory, person, submission, unique } from './fixtures.ts';
import { multipart, pathOf } from './requests.ts';
import { csv } from './uploads.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request that creates something, the same each time that it is sent. */
export interface Creation {
  readonly send: (key: string) => Promise<CallResponse>;
  /** Sends another request of the same kind. */
  readonly sendOther: (key: string) => Promise<CallResponse>;
  /** A text in the record that it creates. */
  readonly marker: string;
  /** The stored type of this record. */
  readonly type: string;
  /** Of its response. */
  readonly status: number;
}

interface Declared {
  readonly type: string;
  /** Of the response; 201 by default. */
  readonly status?: number;
  /** A valid body with the marker. */
  readonly body: (directory: Directory, marker: string) => Body | Promise<Body>;
  /** The project in the path. */
  readonly project?: true;
}

const liveProject = async (directory: Directory): Promise<string> =>
  (await directory.live(await person(directory.server))).id;

const importForm = { columns: { name: 'name', url: 'url', description: 'description' } };

/** Of every route that honours `Idempotency-Key`, by its id. */
const declared: Readonly<Record<string, Declared>> = {
  'projects.submit': {
    type: 'project',
    body: ({ category: slug }, marker) => submission({ categories: [slug], description: marker }),
  },
  'projects.importCsv': {
    type: 'project',
    status: 200,
    body: (_, marker) => ({
      file: csv(['name', 'url', 'description'], [marker, `https://${marker}.example.com/`, 'A test.']),
      mapping: JSON.stringify(importForm),
    }),
  },
  'payments.startCheckout': {
    type: 'checkout',
    status: 200,
    body: async (directory, marker) => {
      const { id } = await directory.live(directory.admin, { name: marker });
      return { kind: 'upgrade', project_id: id };
    },
  },
  'promotions.grant': {
    type: 'promotion',
    body: async (directory, marker) => ({
      project_id: await liveProject(directory),
      placements: ['catalog'],
      days: 9,
      cta_text: marker,
    }),
  },
  'comments.add': { type: 'comment', project: true, body: (_, marker) => ({ content: marker }) },
  'reports.file': { type: 'report', project: true, body: (_, marker) => ({ reason: marker }) },
  'claims.open': { type: 'claim', project: true, body: (_, marker) => ({ method: 'manual', message: marker }) },
  'drafts.create': { type: 'draft', body: (_, marker) => ({ content: { name: marker } }) },
  'follows.create': {
    type: 'follow',
    body: (_, marker) => ({ query: { q: marker }, frequency: 'weekly' }),
  },
  'imports.create': { type: 'import', body: (_, marker) => ({ filename: `${marker}.csv`, bytes: 100 }) },
  'categories.create': { type: 'category', body: (_, marker) => category({ description: marker }) },
  'collections.create': { type: 'collection', body: (_, marker) => ({ title: marker }) },
  'fields.create': {
    type: 'field',
    body: (_, marker) => ({ key: marker.replaceAll('-', '_'), type: 'number', label: marker }),
  },
  'apiKeys.create': { type: 'apiKey', body: (_, marker) => ({ name: marker, scopes: ['projects:read'] }) },
  'webhooks.create': {
    type: 'webhook',
    body: (_, marker) => ({ url: 'https://example.com/', kinds: ['keyCreated'], description: marker }),
  },
  'savedReplies.create': { type: 'savedReply', body: (_, marker) => ({ name: marker, text: 'A test.' }) },
  'rules.create': {
    type: 'rule',
    body: (_, marker) => ({
      name: marker,
      is_active: false,
      when: { all: [{ domain_is_shortener: true }] },
      action: 'hold',
    }),
  },
};

/** A creation by a route, each time another one. */
export const creationOf = async (directory: Directory, route: Route): Promise<Creation> => {
  const creation = declared[route.id];
  if (!creation) throw new Error(`Add ${route.id} to test/support/creations.ts.`);
  const { type, status = 201 } = creation;
  const path = pathOf(route, creation.project && { project: await liveProject(directory) });
  const sendBody = async (body: Body, key: string): Promise<CallResponse> => {
    // Each form has another boundary.
    const form = route.bodyKind === 'multipart' ? await multipart(body as Record<string, string>) : undefined;
    return await directory.server.call('POST', path, {
      token: directory.admin.token,
      ...(form ? { rawBody: form.rawBody } : { body }),
      headers: { ...form?.headers, 'idempotency-key': key },
    });
  };
  const marker = unique('created');
  const [body, other] = [await creation.body(directory, marker), await creation.body(directory, unique('other'))];
  return {
    marker,
    type,
    status,
    send: (key) => sendBody(body, key),
    sendOther: (key) => sendBody(other, key),
  };
};
