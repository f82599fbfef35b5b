import { expect } from 'vitest';
import type { Category } from '#contract/categories.ts';
import type { Collection } from '#contract/collections.ts';
import type { Project, Viewer } from '#contract/projects.ts';
import { userKey } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import type { CallResponse, Client } from './client.ts';

/** Fixtures of contract tests: valid bodies, users, projects in every state, and error responses. */

/** The variable with the name of a run against a deployment; it is part of all generated names. */
export const RUN_NAME = 'CONFORMANCE_RUN';

let count = 0;

/** A name that is unique in this process and no substring of another one; valid as a slug and as a host name. */
export const unique = (word = 'thing'): string => {
  count += 1;
  const run = process.env[RUN_NAME];
  return run ? `${word}-${run}-${process.pid.toString(36)}-${count}q` : `${word}-${count}q`;
};

/** A valid submission with the required fields only. */
export const submission = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const name = unique('listing');
  return {
    plan: 'standard',
    name,
    url: `https://${name}.example.com/`,
    description: 'A useful listing.',
    pricing_type: 'free',
    ...fields,
  };
};

/** A valid submission with all fields. */
export const fullSubmission = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const name = unique('listing');
  return {
    ...submission({ name, url: `https://${name}.example.com/start?from=here#top` }),
    slug: name,
    long_description: 'First line.\nSecond line.',
    logo_url: 'https://img.example.com/logo.png',
    screenshots: ['https://img.example.com/1.png', 'http://img.example.com/2.png'],
    video_url: 'https://video.example.com/1',
    tags: ['fast', 'Open Source'],
    latitude: 47.3769,
    longitude: 8.5417,
    address_city: 'Zürich',
    address_country: 'Switzerland',
    ...fields,
  };
};

/** A valid category. */
export const category = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: unique('Category'),
  ...fields,
});

/** A project as returned by a single read. */
export type SeenProject = Project & { readonly viewer?: Viewer };

/** The `data` of a response. */
export const dataOf = <T>(response: Pick<CallResponse, 'body'>): T => (response.body as { data: T }).data;

/** The `meta` of a page of a list. */
export interface Meta {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly facets?: Readonly<Record<string, readonly { value: string; count: number }[]>>;
}

/** The `meta` of a response. */
export const metaOf = (response: Pick<CallResponse, 'body'>): Meta => (response.body as { meta: Meta }).meta;

/** The ids of the items of a list. */
export const idsOf = (response: Pick<CallResponse, 'body'>): string[] =>
  dataOf<{ id: string }[]>(response).map(({ id }) => id);

/** The version in the ETag of a single record; undefined when the response has another ETag. */
export const versionOf = ({ headers }: Pick<CallResponse, 'headers'>): number | undefined => {
  const version = /^"(\d+)\.[\w-]+"$/.exec(headers.get('etag') ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
};

/** Matches a time: ISO 8601 in UTC with milliseconds. */
export const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Matches an id: the kind and a ULID. */
export const idOf = (kind: string): unknown => expect.stringMatching(new RegExp(`^${kind}_[0-9A-HJKMNP-TV-Z]{26}$`));

const failure = (status: number, error: string, code: string) => ({ status, body: { error, code } });

/** Matches a response with this `data`. */
export const success = (data: unknown, status = 200) => ({ status, body: { data } });

/** Matches error responses. */
export const NOT_FOUND = failure(404, 'Not found', 'NOT_FOUND');
export const UNAUTHORIZED = failure(401, 'Unauthorized', 'UNAUTHORIZED');
export const FORBIDDEN = failure(403, 'Forbidden', 'FORBIDDEN');
export const BANNED = failure(403, 'Forbidden', 'BANNED');
export const EMAIL_UNVERIFIED = failure(403, 'Forbidden', 'EMAIL_UNVERIFIED');
export const INVALID = failure(400, 'Invalid input', 'INVALID_INPUT');
export const STALE = failure(412, 'Precondition failed', 'STALE');
export const conflict = (code: string) => failure(409, 'Conflict', code);

/** Matches a 400 with an error at the path of a field. */
export const invalidAt = (...path: readonly (string | number)[]) => {
  const messages: unknown = expect.arrayContaining([expect.any(String)]);
  let details: Record<string, unknown> = { _errors: messages };
  for (const key of path.toReversed()) details = { [key]: details };
  return { status: 400, body: { ...INVALID.body, details } };
};

/** A user with a token. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

/** The subject of a token. @throws when it is no JSON Web Token. */
export const subjectOf = (token: string): string => {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
  return claims.sub;
};

/** Issues a token for a new user. */
export const person = async (
  server: Client,
  { admin, ...options }: { admin?: boolean; name?: string; email?: string; email_verified?: boolean } = {},
): Promise<Person> => {
  const user = { name: unique('Person'), email: `${unique('person')}@example.com`, ...options };
  const token = await server.token({ ...user, ...(admin && { admin: true }) });
  return { id: subjectOf(token), email: user.email, name: user.name, token };
};

/** Bans an existing user. */
export const ban = async (user: Person, reason: string | null = null): Promise<void> => {
  const banned = await updateItem(userKey(user.id), { set: { is_banned: true, ban_reason: reason } }, exists);
  expect(banned).toBeDefined();
};

/** The states of a project in tests: its status, or soft-deleted. */
export const states = ['live', 'pending', 'rejected', 'deleted'] as const;
export type State = (typeof states)[number];

/** The response to a submission. */
export interface Submitted {
  readonly id: string;
  readonly slug: string;
  readonly status: string;
}

/** A directory with an administrator and a category, and the requests that most tests make. */
export class Directory {
  readonly server: Client;
  readonly admin: Person;
  /** The slug of the default category of submissions. */
  readonly category: string;

  private constructor(server: Client, admin: Person, slug: string) {
    this.server = server;
    this.admin = admin;
    this.category = slug;
  }

  /** @param existingAdmin an administrator to use instead of a new one. */
  static async create(server: Client, existingAdmin?: Person): Promise<Directory> {
    const admin = existingAdmin ?? (await person(server, { admin: true }));
    const response = await server.call('POST', '/api/admin/categories', { token: admin.token, body: category() });
    expect(response.status).toBe(201);
    return new Directory(server, admin, dataOf<Category>(response).slug);
  }

  /** Sends a request as a user, or without a token. */
  as(who: Person | undefined, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return this.server.call(method, path, {
      ...(who && { token: who.token }),
      ...(body !== undefined && { body }),
      headers,
    });
  }

  asAdmin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<CallResponse> {
    return this.as(this.admin, method, path, body, headers);
  }

  get(path: string, who?: Person, headers: Record<string, string> = {}): Promise<CallResponse> {
    return this.as(who, 'GET', path, undefined, headers);
  }

  /** Creates a category. */
  async addCategory(fields: Readonly<Record<string, unknown>> = {}): Promise<Category> {
    return dataOf<Category>(await this.adminOk('POST', '/api/admin/categories', category(fields), 201));
  }

  async addCollection(fields: Readonly<Record<string, unknown>> = {}): Promise<Collection> {
    const body = { title: unique('Collection'), ...fields };
    return dataOf<Collection>(await this.adminOk('POST', '/api/admin/collections', body, 201));
  }

  /** Submits a project. */
  async submit(owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    const body = submission({ categories: [this.category], ...fields });
    return dataOf<Submitted>(await this.ok(owner, 'POST', '/api/projects', body, 201));
  }

  /** Submits a project and moves it to a state. */
  async project(state: State, owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    const submitted = await this.submit(owner, fields);
    const path = `/api/admin/projects/${submitted.id}`;
    if (state === 'live' || state === 'deleted') await this.adminOk('PUT', `${path}/approve`);
    if (state === 'rejected') await this.adminOk('PUT', `${path}/reject`, { reason: 'Not yet.' });
    if (state === 'deleted') await this.adminOk('DELETE', `/api/projects/${submitted.id}`);
    return submitted;
  }

  /** A live project. */
  live(owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    return this.project('live', owner, fields);
  }

  /** Sends a request as a user and fails the test unless the status is the expected one. */
  async ok(who: Person | undefined, method: string, path: string, body?: unknown, status = 200): Promise<CallResponse> {
    const response = await this.as(who, method, path, body);
    expect(response).toMatchObject({ status });
    return response;
  }

  /** Like `ok`, as the administrator. */
  adminOk(method: string, path: string, body?: unknown, status = 200): Promise<CallResponse> {
    return this.ok(this.admin, method, path, body, status);
  }

  /** Upvotes, rates and comments on a project. @returns the id of the comment. */
  async react(who: Person, reference: string, rating = 4): Promise<string> {
    const path = `/api/projects/${reference}`;
    await this.ok(who, 'PUT', `${path}/upvote`);
    await this.ok(who, 'POST', `${path}/ratings`, { rating });
    const comment = await this.ok(who, 'POST', `${path}/comments`, { content: 'Hello.' }, 201);
    return dataOf<{ id: string }>(comment).id;
  }

  /** Reads a project as a user, or anonymously. */
  async read(reference: string, who?: Person): Promise<SeenProject> {
    const response = await this.get(`/api/projects/${reference}`, who);
    expect(response).toMatchObject({ status: 200 });
    return dataOf<SeenProject>(response);
  }
}
