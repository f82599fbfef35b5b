import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertMatchesDocument, type SeenResponse } from '#test/support/conformance.ts';
import { operationFor, operations } from '#test/support/operations.ts';
import { readCoverage } from '#test/support/responses-seen.ts';

/** The check of all responses in tests against the OpenAPI document, and the coverage of the document. */

const vote: SeenResponse = {
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

const failure = (status: number, error: string, code: string): Partial<SeenResponse> => ({
  status,
  body: { error, code },
});

const without = (name: string): Partial<SeenResponse> => {
  const headers = new Headers(vote.headers);
  headers.delete(name);
  return { headers };
};

const withHeader = (name: string, value: string): Partial<SeenResponse> => {
  const headers = new Headers(vote.headers);
  headers.set(name, value);
  return { headers };
};

const check = (changes: Partial<SeenResponse>) => () => assertMatchesDocument({ ...vote, ...changes });

it.each<[string, Partial<SeenResponse>]>([
  ['a documented success', {}],
  ['a 404 for an unknown path', { address: '/api/nonsense', ...failure(404, 'Not found', 'NOT_FOUND') }],
  ['a 405 for an unknown method', { method: 'PATCH', ...failure(405, 'Method not allowed', 'METHOD_NOT_ALLOWED') }],
  [
    'a page of the local server outside /api',
    { address: '/_local/mail', status: 200, body: 'a page', headers: new Headers() },
  ],
  ['missing quota headers when the rate limiter is disabled', { ...without('ratelimit'), uncounted: true }],
])('the check of a response accepts %s', (_, changes) => {
  expect(check(changes)).not.toThrow();
});

it.each<[string, Partial<SeenResponse>, RegExp]>([
  [
    'a property of another type',
    { body: { data: { upvoted: 'yes', upvote_count: 1 } } },
    /\/data\/upvoted must be boolean/,
  ],
  ['an undocumented status', { status: 201 }, /votes\.toggle\) returned 201: documented are 200,/],
  ['an undocumented code', failure(404, 'Not found', 'SLUG_TAKEN'), /\/code must be equal to one of/],
  ['another content type', withHeader('content-type', 'text/html'), /content type text\/html/],
  ['a missing request id', without('x-request-id'), /no x-request-id/],
  ['a missing ETag', without('etag'), /ETag missing/],
  ['a missing quota header', without('ratelimit'), /no ratelimit/],
  ['the quota of another tier', withHeader('ratelimit-policy', '"general";q=1;w=1'), /for tier voting/],
  [
    'retryAfter without a Retry-After header',
    { status: 429, body: { error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 3 } },
    /Retry-After missing/,
  ],
  [
    'a 404 for an unknown path with another body',
    { address: '/api/nonsense', status: 404, body: 'Not found' },
    /no such operation/,
  ],
  ['a success for an unknown path', { address: '/api/nonsense' }, /no such operation/],
])('the check of a response rejects %s', (_, changes, violation) => {
  expect(check(changes)).toThrow(violation);
});

it('the operation of a request is found as in the gateway, with literal segments before variables', () => {
  const idFor = (method: string, address: string) => operationFor(method, address)?.id;
  expect(idFor('GET', '/api/projects/map')).toBe('projects.map');
  expect(idFor('GET', '/api/projects/maps')).toBe('projects.read');
  expect(idFor('PUT', '/api/admin/categories/reorder?x=1')).toBe('categories.reorder');
  expect(idFor('PUT', '/api/admin/categories/tools')).toBe('categories.update');
  expect(idFor('POST', '/api/projects/map')).toBeUndefined();
  expect(idFor('GET', '/api/projects/?page=1')).toBe('projects.list');
  expect(idFor('GET', '/api/projects/#')).toBe('projects.list');
  expect(idFor('GET', '/api/projects//')).toBeUndefined();
  expect(idFor('GET', 'http://elsewhere.example/api/projects?page=1')).toBe('projects.list');
});

it('the coverage lists the responses that no test has received, errors by code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'directory-seen-'));
  try {
    const all = readCoverage(folder);
    expect(all.missing).toHaveLength(all.documented);
    expect(all.missing).toEqual(expect.arrayContaining(['votes.toggle 200', 'votes.toggle 403 BANNED']));
    expect(new Set(all.missing.map((name) => name.split(' ')[0])).size).toBe(operations.length);
    writeFileSync(join(folder, '1'), 'votes.toggle 200\nvotes.toggle 418\n');
    writeFileSync(join(folder, '2'), 'votes.toggle 403 BANNED\n');
    expect(readCoverage(folder).missing).toEqual(
      all.missing.filter((name) => name !== 'votes.toggle 200' && name !== 'votes.toggle 403 BANNED'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
