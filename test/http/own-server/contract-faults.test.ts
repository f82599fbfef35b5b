import { expect, it, vi } from 'vitest';
import { pageOfComments } from '#data/comments.ts';
import { countRequest } from '#data/rate-counter.ts';
import { type Directory, type Person, person } from '#test/support/fixtures.ts';
import { freshAddress } from '#test/support/requests.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Responses when a dependency fails. */

vi.mock(import('#data/comments.ts'), { spy: true });
vi.mock(import('#data/rate-counter.ts'), { spy: true });

let server: TestServer;
let directory: Directory;
let owner: Person;

withOwnServer(
  async (opened) => {
    ({ server, directory } = opened);
    owner = await person(server);
  },
  { env: { RATE_LIMIT_GENERAL: '3/100000' } },
);

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

it('returns 500 with a request_id and without the cause for an unexpected error', async () => {
  const { id } = await directory.live(owner);
  vi.mocked(pageOfComments).mockRejectedValueOnce(new Error('the password is hunter2'));
  const comment = await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' });
  expect(comment.status).toBe(201);
  const response = await server.call('GET', `/api/projects/${id}/comments`, from(freshAddress()));
  expect(response.status).toBe(500);
  const requestId = response.headers.get('x-request-id');
  expect(requestId).toMatch(/\S/);
  expect(response.body).toEqual({ error: 'Internal error', code: 'INTERNAL', request_id: requestId });
  expect(await server.call('GET', `/api/projects/${id}/comments`, from(freshAddress()))).toMatchObject({ status: 200 });
});

it('admits requests while the rate counter is unreachable', async () => {
  const address = from(freshAddress());
  vi.mocked(countRequest).mockRejectedValueOnce(new Error('unreachable'));
  const response = await server.call('GET', '/api/projects', { ...address, uncounted: true });
  expect(response.status).toBe(200);
  expect(response.headers.get('ratelimit')).toBeNull();
  expect((await server.call('GET', '/api/projects', address)).headers.get('ratelimit')).toMatch(/;r=2;/);
});

it('rejects a caller over the limit without a write until the window ends', async () => {
  const address = from(freshAddress());
  const statuses = [];
  for (let number = 0; number < 4; number += 1)
    statuses.push((await server.call('GET', '/api/projects', address)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const counted = vi.mocked(countRequest).mock.calls.length;
  for (let number = 0; number < 5; number += 1) {
    expect(await server.call('GET', '/api/projects', address)).toMatchObject({ status: 429 });
  }
  expect(vi.mocked(countRequest).mock.calls.length).toBe(counted);
});
