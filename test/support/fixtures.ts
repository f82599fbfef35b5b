import { expect } from 'vitest';
import type { Category } from '#contract/categories.ts';
import type { Project, ViewerMarks } from '#contract/projects.ts';
import { exists } from '#data/conditions.ts';
import { userKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import type { CallAnswer, Client } from './client.ts';

/** What tests of the contract are made of: valid bodies, people, projects in every state, and the failures by name. */

/** Names a run against a deployment, where others have left their things or will; what it makes is known by it. */
export const RUN_NAME = 'CONFORMANCE_RUN';

let made = 0;

/** A word that nothing else in this process is called and that is part of no other; fit for slugs, hosts and addresses. */
export const unique = (word = 'thing'): string => {
  made += 1;
  const run = process.env[RUN_NAME];
  return run ? `${word}-${run}-${process.pid.toString(36)}-${made}q` : `${word}-${made}q`;
};

/** A valid submission with the required fields only. */
export const submission = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const name = unique('listing');
  return {
    plan: 'standard',
    name,
    url: `https://${name}.example.com/`,
    description: 'Something that is worth a look.',
    pricing_type: 'free',
    ...fields,
  };
};

/** A submission with every field that a submitter may give. */
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

/** A project as a test reads it. */
export type SeenProject = Project & { readonly viewer?: ViewerMarks };

/** The `data` of an answer. */
export const dataOf = <T>(answer: Pick<CallAnswer, 'body'>): T => (answer.body as { data: T }).data;

/** Where a page of a list stands. */
export interface Meta {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly facets?: Readonly<Record<string, readonly { value: string; count: number }[]>>;
}

/** The `meta` of an answer. */
export const metaOf = (answer: Pick<CallAnswer, 'body'>): Meta => (answer.body as { meta: Meta }).meta;

/** The ids of the entries of a list. */
export const idsOf = (answer: Pick<CallAnswer, 'body'>): string[] =>
  dataOf<{ id: string }[]>(answer).map(({ id }) => id);

/** The times of the contract: ISO 8601 in UTC with milliseconds. */
export const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** An id of the contract: the kind and a ULID. */
export const idOf = (kind: string): unknown => expect.stringMatching(new RegExp(`^${kind}_[0-9A-HJKMNP-TV-Z]{26}$`));

const failure = (status: number, error: string, code: string) => ({ status, body: { error, code } });

/** Failures as answers, to be matched. */
export const NOT_FOUND = failure(404, 'Not found', 'NOT_FOUND');
export const UNAUTHORIZED = failure(401, 'Unauthorized', 'UNAUTHORIZED');
export const FORBIDDEN = failure(403, 'Forbidden', 'FORBIDDEN');
export const BANNED = failure(403, 'Forbidden', 'BANNED');
export const INVALID = failure(400, 'Invalid input', 'INVALID_INPUT');
export const STALE = failure(412, 'Precondition failed', 'STALE');
export const conflict = (code: string) => failure(409, 'Conflict', code);

/** A 400 that names a field by its path. */
export const invalidAt = (...path: readonly (string | number)[]) => {
  const messages: unknown = expect.arrayContaining([expect.any(String)]);
  let details: Record<string, unknown> = { _errors: messages };
  for (const step of path.toReversed()) details = { [step]: details };
  return { status: 400, body: { ...INVALID.body, details } };
};

/** Somebody with a token. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

/** The id of whoever a token is made for. @throws when it is no JSON Web Token. */
export const subjectOf = (token: string): string => {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
  return claims.sub;
};

/** Somebody whom the directory has not seen before. */
export const person = async (world: Client, options: { admin?: boolean; name?: string } = {}): Promise<Person> => {
  const name = options.name ?? unique('Person');
  const email = `${unique('person')}@example.com`;
  const token = await world.token({ email, name, ...(options.admin && { admin: true }) });
  return { id: subjectOf(token), email, name, token };
};

/** Bans somebody whom the directory knows. */
export const ban = async (user: Person, reason: string | null = null): Promise<void> => {
  const banned = await updateItem(userKey(user.id), { set: { is_banned: true, ban_reason: reason } }, exists);
  expect(banned).toBeDefined();
};

/** The states in which a project can be found. */
export const states = ['live', 'pending', 'rejected', 'deleted'] as const;
export type State = (typeof states)[number];

/** What a submission answers. */
export interface Submitted {
  readonly id: string;
  readonly slug: string;
  readonly status: string;
}

/** A directory with an administrator and a category, and short words for what tests do in it all the time. */
export class Directory {
  readonly world: Client;
  readonly admin: Person;
  /** The slug of a category that every project is in that is not given another. */
  readonly category: string;

  private constructor(world: Client, admin: Person, slug: string) {
    this.world = world;
    this.admin = admin;
    this.category = slug;
  }

  /** @param known an administrator whom there is already; else there will be one. */
  static async open(world: Client, known?: Person): Promise<Directory> {
    const admin = known ?? (await person(world, { admin: true }));
    const answer = await world.call('POST', '/api/admin/categories', { token: admin.token, body: category() });
    expect(answer.status).toBe(201);
    return new Directory(world, admin, dataOf<Category>(answer).slug);
  }

  /** A call in somebody's name. */
  as(who: Person | undefined, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return this.world.call(method, path, {
      ...(who && { token: who.token }),
      ...(body !== undefined && { body }),
      headers,
    });
  }

  get(path: string, who?: Person, headers: Record<string, string> = {}): Promise<CallAnswer> {
    return this.as(who, 'GET', path, undefined, headers);
  }

  /** Creates a category. */
  async addCategory(fields: Readonly<Record<string, unknown>> = {}): Promise<Category> {
    const answer = await this.as(this.admin, 'POST', '/api/admin/categories', category(fields));
    expect(answer.status).toBe(201);
    return dataOf<Category>(answer);
  }

  /** Submits a project. */
  async submit(owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    const body = submission({ categories: [this.category], ...fields });
    const answer = await this.as(owner, 'POST', '/api/projects', body);
    expect(answer).toMatchObject({ status: 201 });
    return dataOf<Submitted>(answer);
  }

  /** Submits a project and brings it into a state. */
  async project(state: State, owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    const submitted = await this.submit(owner, fields);
    const path = `/api/admin/projects/${submitted.id}`;
    if (state === 'live' || state === 'deleted') await this.done('PUT', `${path}/approve`);
    if (state === 'rejected') await this.done('PUT', `${path}/reject`, { reason: 'Not yet.' });
    if (state === 'deleted') await this.done('DELETE', `/api/projects/${submitted.id}`);
    return submitted;
  }

  /** A live project. */
  live(owner: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<Submitted> {
    return this.project('live', owner, fields);
  }

  /** What the administrator does and what must succeed. */
  async done(method: string, path: string, body?: unknown): Promise<CallAnswer> {
    const answer = await this.as(this.admin, method, path, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer;
  }

  /** A project as somebody sees it. */
  async read(reference: string, who?: Person): Promise<SeenProject> {
    const answer = await this.get(`/api/projects/${reference}`, who);
    expect(answer).toMatchObject({ status: 200 });
    return dataOf<SeenProject>(answer);
  }
}
