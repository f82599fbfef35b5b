import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What was done under a key is not done again. */

let world: TestWorld;
let user: string;

beforeAll(async () => {
  world = await startTestWorld();
  const admin = await world.token({ email: 'root@example.com', admin: true });
  await world.call('POST', '/api/admin/categories', { token: admin, body: { name: 'Tools' } });
  user = await world.token({ email: 'careful@example.com' });
});

afterAll(async () => {
  await world.stop();
});

const submission = (name: string) => ({
  plan: 'standard',
  name,
  url: 'https://again.example.com',
  description: 'Sent more than once.',
  categories: ['tools'],
  pricing_type: 'free',
});

const submit = (key: string, body: unknown, token = user) =>
  world.call('POST', '/api/projects', { token, body, headers: { 'idempotency-key': key } });

const submissions = async (name: string): Promise<number> => {
  const { body } = await world.call('GET', '/api/me/submissions?limit=100', { token: user });
  return (body as { data: { name: string }[] }).data.filter((project) => project.name === name).length;
};

it('answers the first result again for the same key and body', async () => {
  const first = await submit('one', submission('Once'));
  const second = await submit('one', submission('Once'));
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await submissions('Once')).toBe(1);
});

it('refuses another body under the same key', async () => {
  await submit('two', submission('Second'));
  const other = await submit('two', submission('Something Else'));
  expect(other.status).toBe(422);
  expect(other.body).toEqual({ error: 'Unprocessable', code: 'IDEMPOTENCY_MISMATCH' });
  expect(await submissions('Something Else')).toBe(0);
});

it('keeps keys apart by caller', async () => {
  const other = await world.token({ email: 'other@example.com' });
  const mine = await submit('three', submission('Third'));
  const theirs = await submit('three', submission('Third'), other);
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.body).not.toEqual(mine.body);
});

it('does the work once for ten requests at once; those that come too early are told so', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => submit('four', submission('Fourth'))));
  const created = answers.filter((answer) => answer.status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
  for (const early of answers.filter((answer) => answer.status !== 201)) {
    expect([early.status, (early.body as { code: string }).code]).toEqual([409, 'IN_PROGRESS']);
  }
  expect(await submissions('Fourth')).toBe(1);
});

it('keeps nothing of a request that was refused', async () => {
  const refused = await submit('five', { ...submission('Fifth'), categories: ['no-such-category'] });
  expect(refused.status).toBe(400);
  expect((await submit('five', submission('Fifth'))).status).toBe(201);
});

it('refuses a key that is too long', async () => {
  expect((await submit('k'.repeat(256), submission('Sixth'))).status).toBe(400);
  expect(await submissions('Sixth')).toBe(0);
});

it('does nothing without a key', async () => {
  const send = () => world.call('POST', '/api/projects', { token: user, body: submission('Twice') });
  await Promise.all([send(), send()]);
  expect(await submissions('Twice')).toBe(2);
});

it('finds what a try that died has made', async () => {
  const { beginOnce } = await import('#data/idempotency.ts');
  const { submitProject } = await import('#domain/projects/submit.ts');
  const { submitPorts } = await import('#ports/projects.ts');
  const { updateItem } = await import('#data/write.ts');
  const { idempotencyKey } = await import('#data/keys.ts');
  const profile = await world.call('GET', '/api/user/profile', { token: user });
  const { id } = (profile.body as { data: { id: string } }).data;
  const owner = { id, is_admin: false } as Parameters<typeof submitProject>[1];
  const body = { ...submission('Seventh'), plan: 'standard', pricing_type: 'free' } as const;

  const first = await beginOnce('a-test', 'digest');
  if ('status' in first) throw new Error('There was nothing to answer yet.');
  const made = await submitProject(submitPorts, owner, body, first.seed);
  // The process dies here: no answer is kept, and after its time another try takes over.
  await expect(beginOnce('a-test', 'digest')).rejects.toMatchObject({ code: 'IN_PROGRESS' });
  await updateItem(idempotencyKey('a-test'), { set: { until: 1 } });
  const second = await beginOnce('a-test', 'digest');
  if ('status' in second) throw new Error('There was nothing to answer yet.');
  expect((await submitProject(submitPorts, owner, body, second.seed)).id).toBe(made.id);
});

it('finds what a try has made that was given up for dead and still came to its end', async () => {
  const { submitProject } = await import('#domain/projects/submit.ts');
  const { submitPorts } = await import('#ports/projects.ts');
  const { ulid } = await import('ulid');
  const { body: profile } = await world.call('GET', '/api/user/profile', { token: user });
  const owner = { ...(profile as { data: { id: string } }).data, is_admin: false } as Parameters<
    typeof submitProject
  >[1];
  const body = { ...submission('Eighth'), plan: 'standard', pricing_type: 'free' } as const;
  const seed = ulid();
  // Neither sees the other before both have begun to write.
  let arrived = 0;
  let open: () => void = () => undefined;
  const bothAreThere = new Promise<void>((resolve) => {
    open = resolve;
  });
  const missingCategories: typeof submitPorts.missingCategories = async (slugs) => {
    arrived += 1;
    if (arrived === 2) open();
    await bothAreThere;
    return await submitPorts.missingCategories(slugs);
  };
  const ports = { ...submitPorts, missingCategories };
  const [first, second] = await Promise.all([
    submitProject(ports, owner, body, seed),
    submitProject(ports, owner, body, seed),
  ]);
  expect(second.id).toBe(first.id);
  expect(await submissions('Eighth')).toBe(1);
});
