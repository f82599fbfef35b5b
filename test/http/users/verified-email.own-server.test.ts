import { expect, it } from 'vitest';
import {
  dataOf,
  EMAIL_UNVERIFIED,
  type Person,
  person,
  subjectOf,
  submission,
  success,
} from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Submissions while they need a verified email address; `test/invariants/unverified-over-http.test.ts` has the other value. */

const { server, directory } = await ownDirectory({ env: { VERIFIED_EMAIL_REQUIRED: 'submit' } });

const unverified = (): Promise<Person> => person(server, { email_verified: false });

const submit = (who: Person, fields: object = {}) =>
  directory.as(who, 'POST', '/api/projects', submission({ categories: [directory.category], ...fields }));

it('a submission without a verified address is 403, writes nothing, and passes once the address is verified', async () => {
  const ada = await unverified();
  expect((await submit(ada)).body).toEqual({
    error: 'Forbidden',
    code: 'EMAIL_UNVERIFIED',
    message: 'This needs a verified email address. Verify yours where you sign in, then sign in again.',
  });
  expect(await submit(ada, { plan: 'premium' })).toMatchObject(EMAIL_UNVERIFIED);
  expect(await directory.as(ada, 'POST', '/api/projects', {})).toMatchObject(EMAIL_UNVERIFIED);
  expect(await directory.get('/api/me/submissions', ada)).toMatchObject(success([]));

  const verified = await person(server, { email: ada.email, name: ada.name });
  expect(verified.id).toBe(ada.id);
  expect((await submit(verified)).status).toBe(201);
  // The older token is of the same user, whose address is verified by now.
  expect((await submit(ada)).status).toBe(201);
});

it('a rejected listing is not submitted again without a verified address', async () => {
  const { admin } = directory;
  const ada = await unverified();
  const created = await directory.adminOk(
    'POST',
    '/api/projects',
    submission({ categories: [directory.category] }),
    201,
  );
  const { id } = dataOf<{ id: string }>(created);
  const path = `/api/projects/${id}/resubmit`;
  await directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'Spam.' });
  expect(await directory.as(ada, 'POST', path)).toMatchObject(EMAIL_UNVERIFIED);
  expect((await directory.as(admin, 'POST', path)).status).toBe(200);
});

it('users without an address are as those with an unverified one', async () => {
  const token = await server.token({ client_id: 'a-program', name: 'Program' });
  expect(await submit({ id: subjectOf(token), email: '', name: 'Program', token })).toMatchObject(EMAIL_UNVERIFIED);
});

it('an API key needs no address: its scope says that it may submit', async () => {
  const key = await createKey(server, directory.admin, ['projects:write']);
  expect((await submit(asPerson(key))).status).toBe(201);
});

it('everything else needs no verified address', async () => {
  const ada = await unverified();
  const { id } = await directory.live(directory.admin);
  await directory.ok(ada, 'POST', `/api/projects/${id}/upvote`);
  await directory.ok(ada, 'POST', `/api/projects/${id}/comments`, { content: 'Useful.' }, 201);
  await directory.ok(ada, 'POST', '/api/me/drafts', { content: { name: 'A draft' } }, 201);
  await directory.ok(ada, 'PUT', '/api/user/profile', { name: 'Ada' });
});

it('the tool of the Model Context Protocol that submits has the same condition, and the others have not', async () => {
  const call = (who: Person, name: string, given: object = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    return directory.as(who, 'POST', '/mcp', body, headers);
  };
  const ada = await unverified();
  const given = submission({ categories: [directory.category] });
  expect(JSON.stringify((await call(ada, 'submit_listing', given)).body)).toContain('EMAIL_UNVERIFIED');
  expect(JSON.stringify((await call(ada, 'list_categories')).body)).toContain(directory.category);
  const key = asPerson(await createKey(server, directory.admin, ['projects:write']));
  expect(JSON.stringify((await call(key, 'submit_listing', given)).body)).toContain('prj_');
});

it('front ends read the rule in the settings', async () => {
  expect(await directory.get('/api/settings')).toMatchObject(
    success({ limits: expect.objectContaining({ verified_email_required: 'submit' }) }),
  );
});
