import { expect, it, vi } from 'vitest';
import { pageOfComments } from '#data/comments.ts';
import { countRequest } from '#data/rate-leases.ts';
import { type Directory, type Person, person } from '#test/support/fixtures.ts';
import { freshAddress } from '#test/support/requests.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** What callers see when a part of the service fails. */

vi.mock(import('#data/comments.ts'), { spy: true });
vi.mock(import('#data/rate-leases.ts'), { spy: true });

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(
  async (opened) => {
    ({ world, directory } = opened);
    owner = await person(world);
  },
  { env: { RATE_LIMIT_GENERAL: '3/100000' } },
);

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

it('a fault is 500 with a request_id and nothing about its cause', async () => {
  const { id } = await directory.live(owner);
  vi.mocked(pageOfComments).mockRejectedValueOnce(new Error('the password is hunter2'));
  await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' });
  const answer = await world.call('GET', `/api/projects/${id}/comments`, from(freshAddress()));
  expect(answer.status).toBe(500);
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/\S/);
  expect(answer.body).toEqual({ error: 'Internal error', code: 'INTERNAL', request_id: requestId });
  expect(await world.call('GET', `/api/projects/${id}/comments`, from(freshAddress()))).toMatchObject({ status: 200 });
});

it('a rate counter that cannot be reached lets requests pass', async () => {
  const address = from(freshAddress());
  vi.mocked(countRequest).mockRejectedValueOnce(new Error('unreachable'));
  const answer = await world.call('GET', '/api/projects', { ...address, uncounted: true });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('ratelimit')).toBeNull();
  expect((await world.call('GET', '/api/projects', address)).headers.get('ratelimit')).toMatch(/;r=2;/);
});

it('a caller over his limit costs no further write until his window ends', async () => {
  const address = from(freshAddress());
  const statuses = [];
  for (let number = 0; number < 4; number += 1)
    statuses.push((await world.call('GET', '/api/projects', address)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const counted = vi.mocked(countRequest).mock.calls.length;
  for (let number = 0; number < 5; number += 1) {
    expect(await world.call('GET', '/api/projects', address)).toMatchObject({ status: 429 });
  }
  expect(vi.mocked(countRequest).mock.calls.length).toBe(counted);
});
