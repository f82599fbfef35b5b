import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coverageIn } from '#test/support/answers-seen.ts';
import { holdToDocument, type SeenAnswer } from '#test/support/conformance.ts';
import { operationFor, operations } from '#test/support/operations.ts';

/** What holds every answer of the tests to the document: it has to notice, or nothing does. */

const vote: SeenAnswer = {
  method: 'POST',
  address: '/api/projects/some-tool/upvote?unknown=1',
  status: 200,
  headers: new Headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'r-1',
    etag: '"a-tag"',
    'ratelimit-policy': '"voting";q=60;w=60',
    ratelimit: '"voting";r=59;t=60',
  }),
  body: { data: { upvoted: true, upvote_count: 1 } },
};

const failure = (status: number, error: string, code: string): Partial<SeenAnswer> => ({
  status,
  body: { error, code },
});

const without = (name: string): Partial<SeenAnswer> => {
  const headers = new Headers(vote.headers);
  headers.delete(name);
  return { headers };
};

const withHeader = (name: string, value: string): Partial<SeenAnswer> => {
  const headers = new Headers(vote.headers);
  headers.set(name, value);
  return { headers };
};

const holding = (changes: Partial<SeenAnswer>) => () => holdToDocument({ ...vote, ...changes });

describe('an answer', () => {
  it.each<[string, Partial<SeenAnswer>]>([
    ['as documented', {}],
    ['with a documented failure', failure(404, 'Not found', 'NOT_FOUND')],
    ['with more than is documented', { body: { data: { upvoted: true, upvote_count: 1, more: 1 }, meta: {} } }],
    ['of a path that does not exist', { address: '/api/nonsense', ...failure(404, 'Not found', 'NOT_FOUND') }],
    ['of a method that does not exist', { method: 'PATCH', ...failure(404, 'Not found', 'NOT_FOUND') }],
    ['of the local world', { address: '/_local/mail', status: 200, body: 'a page', headers: new Headers() }],
    ['of a call that the limiter could not count', { ...without('ratelimit'), uncounted: true }],
  ])('%s passes', (_, changes) => {
    expect(holding(changes)).not.toThrow();
  });

  it.each<[string, Partial<SeenAnswer>, RegExp]>([
    [
      'of another type than is documented',
      { body: { data: { upvoted: 'yes', upvote_count: 1 } } },
      /\/data\/upvoted must be boolean/,
    ],
    ['that lacks a member', { body: { data: { upvoted: true } } }, /upvote_count/],
    ['without a body', { body: undefined }, /no body/],
    ['with another status', { status: 201 }, /votes\.toggle\) answered 201: the document lists 200,/],
    ['with another code', failure(404, 'Not found', 'SLUG_TAKEN'), /\/code must be equal to one of/],
    ['that is no JSON', withHeader('content-type', 'text/html'), /its type is text\/html/],
    ['without an id', without('x-request-id'), /no x-request-id/],
    ['without a tag', without('etag'), /ETag is missing/],
    ['with a weak tag', withHeader('etag', 'W/"a-tag"'), /ETag is W/],
    ['without a quota', without('ratelimit'), /no ratelimit/],
    ['with the quota of another tier', withHeader('ratelimit-policy', '"general";q=1;w=1'), /the tier is voting/],
    [
      'that says when, but not in its head',
      { status: 429, body: { error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 3 } },
      /Retry-After is missing/,
    ],
    [
      'of an unknown path in another shape',
      { address: '/api/nonsense', status: 404, body: 'Not found' },
      /no such operation/,
    ],
    ['of an unknown path that is served', { address: '/api/nonsense' }, /no such operation/],
  ])('%s is noticed', (_, changes, complaint) => {
    expect(holding(changes)).toThrow(complaint);
  });
});

it('an address leads to its operation as in the gateway: what is literal before a variable', () => {
  const idFor = (method: string, address: string) => operationFor(method, address)?.id;
  expect(idFor('GET', '/api/projects/map')).toBe('projects.map');
  expect(idFor('GET', '/api/projects/maps')).toBe('projects.read');
  expect(idFor('PUT', '/api/admin/categories/reorder?x=1')).toBe('categories.reorder');
  expect(idFor('PUT', '/api/admin/categories/tools')).toBe('categories.update');
  expect(idFor('POST', '/api/projects/map')).toBeUndefined();
  expect(idFor('GET', '/api/projects/')).toBeUndefined();
  expect(idFor('GET', 'http://elsewhere.example/api/projects?page=1')).toBe('projects.list');
});

it('what no test has seen is named, each failure by its code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-seen-'));
  try {
    const all = coverageIn(folder);
    expect(all.missing).toHaveLength(all.documented);
    expect(all.missing).toEqual(expect.arrayContaining(['votes.toggle 200', 'votes.toggle 403 BANNED']));
    expect(new Set(all.missing.map((name) => name.split(' ')[0])).size).toBe(operations.length);
    writeFileSync(join(folder, '1'), 'votes.toggle 200\nvotes.toggle 418\n');
    writeFileSync(join(folder, '2'), 'votes.toggle 403 BANNED\n');
    expect(coverageIn(folder).missing).toEqual(
      all.missing.filter((name) => name !== 'votes.toggle 200' && name !== 'votes.toggle 403 BANNED'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
