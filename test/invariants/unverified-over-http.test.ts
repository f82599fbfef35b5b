import { expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { BANNED, EMAIL_UNVERIFIED, submission, success } from '#test/support/fixtures.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Every write of a user without a verified email address, while the service requires one for all of them. */

const server = await ownServer({ env: { VERIFIED_EMAIL_REQUIRED: 'write', FEATURE_AI: 'on' } });

const EXEMPT = ['mcp.call', 'session.begin', 'session.end', 'users.erase', 'users.updateProfile'];

const unverified = (name: string, options: object = {}) =>
  server.token({ email: `${name}@example.com`, email_verified: false, ...options });

const isUsers = ({ auth }: Route): boolean => auth === 'user' || auth === 'admin' || auth === 'optional';
const writes = routes.filter((route) => route.method !== 'GET' && isUsers(route));

it('no route is exempt but those of the own profile, the erasure and the session, and the protocol that checks itself', () => {
  const exempt = routes.filter((route) => route.allowsUnverified).map(({ id }) => id);
  expect(exempt.toSorted()).toEqual(EXEMPT);
  // The routes of the tier of submissions that create no listing are named here: a new one has to decide.
  const others = /^(?:ai\.generate|claims\.\w+|payments\.startCheckout)$/;
  const submitting = writes.filter(({ tier, id }) => tier === 'submission' && !others.test(id));
  expect(submitting.filter(({ submits }) => !submits)).toEqual([]);
});

it('every other write is 403 to an administrator without a verified address, whatever the input', async () => {
  const token = await unverified('administrator', { admin: true });
  const answers = await Promise.all(
    writes
      .filter(({ id }) => !EXEMPT.includes(id))
      .map(async (route) => {
        const headers = { 'x-forwarded-for': freshAddress() };
        const { status, body } = await server.call(route.method, pathOf(route), { token, headers, rawBody: '{' });
        return { id: route.id, status, code: (body as { code: string }).code };
      }),
  );
  expect(answers.length).toBeGreaterThan(60);
  expect(answers.filter(({ status, code }) => status !== 403 || code !== 'EMAIL_UNVERIFIED')).toEqual([]);
});

it('reads, the own profile, the session and the erasure need no verified address', async () => {
  const token = await unverified('user');
  const call = (method: string, path: string, body?: object) => server.call(method, path, { token, body });
  expect(await call('GET', '/api/me/submissions')).toMatchObject({ status: 200 });
  expect(await call('POST', '/api/me/drafts', { content: {} })).toMatchObject(EMAIL_UNVERIFIED);
  expect(await call('PUT', '/api/user/profile', { name: 'Ada' })).toMatchObject(success({ name: 'Ada' }));
  expect(await call('POST', '/api/session', { access_token: token })).toMatchObject({ status: 200 });
  expect(await call('DELETE', '/api/session')).toMatchObject({ status: 200 });
  expect(await call('GET', '/api/user/settings')).toMatchObject({ status: 200 });
  expect(await call('DELETE', '/api/user')).toMatchObject(success({ id: expect.any(String) }));
});

it('of the tools of the Model Context Protocol the one that submits needs a verified address', async () => {
  const token = await unverified('program');
  const callTool = async (name: string, given: object): Promise<string> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    return JSON.stringify((await server.call('POST', '/mcp', { token, body, headers })).body);
  };
  expect(await callTool('list_categories', {})).not.toContain('EMAIL_UNVERIFIED');
  expect(await callTool('submit_listing', submission({ categories: ['any'] }))).toContain('EMAIL_UNVERIFIED');
});

it('a ban is reported before it', async () => {
  const admin = await server.token({ email: 'keeper@example.com', admin: true });
  const token = await unverified('banned');
  const { body } = await server.call('GET', '/api/user/profile', { token });
  const { id } = (body as { data: { id: string } }).data;
  expect((await server.call('PUT', `/api/admin/users/${id}`, { token: admin, body: { is_banned: true } })).status).toBe(
    200,
  );
  expect(await server.call('POST', '/api/me/drafts', { token, body: { content: {} } })).toMatchObject(BANNED);
});
