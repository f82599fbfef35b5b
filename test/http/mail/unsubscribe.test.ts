import { describe, expect, it } from 'vitest';
import type { Notifications } from '#contract/users.ts';
import type { ReceivedMail } from '#local/mail.ts';
import { dataOf, NOT_FOUND, type Person, person } from '#test/support/fixtures.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ONE_CLICK = 'List-Unsubscribe=One-Click';

const mailTo = async (who: Person, subject: RegExp): Promise<ReceivedMail> => {
  let found: ReceivedMail | undefined;
  await server.until(async () => {
    found = (await server.mails()).find((mail) => mail.to === who.email && subject.test(mail.subject));
    return found !== undefined;
  });
  return found as ReceivedMail;
};

/** The path of the address in the header. */
const pathIn = ({ headers }: ReceivedMail): string => {
  const [, address = ''] = /^<([^<>]+)>$/.exec(headers['List-Unsubscribe'] ?? '') ?? [];
  return new URL(address).pathname;
};

/** A user with a mail about a submission, and the path to unsubscribe from such mails. */
const subscriber = async () => {
  const user = await person(server);
  await directory.submit(user);
  return { user, path: pathIn(await mailTo(user, /^We have received/)) };
};

const preferences = async (user: Person): Promise<Notifications> =>
  dataOf<{ notifications: Notifications }>(await directory.ok(user, 'GET', '/api/user/settings')).notifications;
const post = (path: string, headers: Record<string, string> = {}, rawBody = ONE_CLICK) =>
  server.call('POST', path, { rawBody, headers: { ...FORM, ...headers } });

describe('an optional mail', () => {
  it('has the headers of RFC 8058 with an address below the site, others have not', async () => {
    const user = await person(server);
    const { id } = await directory.submit(user);
    const { headers } = await mailTo(user, /^We have received/);
    expect(headers).toMatchObject({
      'List-Unsubscribe': expect.stringMatching(/^<http:\/\/localhost:\d+\/api\/unsubscribe\/[\w.-]+>$/),
      'List-Unsubscribe-Post': ONE_CLICK,
    });
    await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
    expect(Object.keys((await mailTo(user, /is live$/)).headers)).not.toContain('List-Unsubscribe');
  });

  it('about a payment has an address of its own preference', async () => {
    const user = await person(server);
    await chooseOutcome(directory, (await startPremium(directory, user)).checkout_id, 'paid');
    expect((await post(pathIn(await mailTo(user, /your payment/)))).status).toBe(200);
    expect(await preferences(user)).toMatchObject({ payment_received: false, submission_received: true });
  });
});

describe('the address to unsubscribe', () => {
  it('shows a page with a button by GET and changes nothing', async () => {
    const { user, path } = await subscriber();
    const response = await server.call('GET', path);
    expect(response).toMatchObject({ status: 200, body: expect.stringContaining('<form method="post">') });
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await preferences(user)).toMatchObject({ submission_received: true });
  });

  it('turns off its preference alone by POST, repeatably', async () => {
    const { user, path } = await subscriber();
    const before = await preferences(user);
    for (let n = 0; n < 2; n += 1) {
      expect(await post(path)).toMatchObject({ status: 200, body: expect.stringContaining('You are unsubscribed') });
    }
    expect(await preferences(user)).toEqual({ ...before, submission_received: false });
    await directory.ok(user, 'PUT', '/api/user/settings', { notifications: { submission_received: true } });
    expect((await post(path)).status).toBe(200);
    expect(await preferences(user)).toEqual({ ...before, submission_received: false });
  });

  it('does not expire', async () => {
    const { user, path } = await subscriber();
    const response = await withClockAhead(20 * 365 * 86_400_000, () => post(path));
    expect(response).toMatchObject({ status: 200 });
    expect(await preferences(user)).toMatchObject({ submission_received: false });
  });

  it('ignores cookies and the origin, also the cookie of another user', async () => {
    const { user, path } = await subscriber();
    const other = await person(server);
    const headers = {
      cookie: `directory_token=${other.token}`,
      origin: 'https://mail.example.com',
      'sec-fetch-site': 'cross-site',
    };
    expect((await post(path, headers)).status).toBe(200);
    expect(await preferences(user)).toMatchObject({ submission_received: false });
    expect(await preferences(other)).toMatchObject({ submission_received: true });
  });

  it('takes the form as multipart too', async () => {
    const { user, path } = await subscriber();
    const body = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';
    expect((await post(path, { 'content-type': 'multipart/form-data; boundary=b' }, body)).status).toBe(200);
    expect(await preferences(user)).toMatchObject({ submission_received: false });
  });

  it('is 404 with a forged token: another user, another preference, a changed or missing signature', async () => {
    const { user, path } = await subscriber();
    const other = await subscriber();
    const [payload = '', mac = ''] = path.slice('/api/unsubscribe/'.length).split('.');
    const [, otherMac = ''] = other.path.slice('/api/unsubscribe/'.length).split('.');
    const encoded = (text: string) => Buffer.from(text).toString('base64url');
    const forged = [
      `${payload}.${otherMac}`,
      `${encoded(`weekly_digest ${user.id}`)}.${mac}`,
      `${encoded(`submission_received ${directory.admin.id}`)}.${mac}`,
      `${payload}.${mac.slice(0, -1)}`,
      `${payload}.${mac}.${mac}`,
      `${payload}.`,
      payload,
      'nonsense',
    ];
    for (const token of forged) {
      expect([token, await server.call('GET', `/api/unsubscribe/${token}`)]).toMatchObject([token, NOT_FOUND]);
      expect([token, await post(`/api/unsubscribe/${token}`)]).toMatchObject([token, NOT_FOUND]);
    }
    expect(await preferences(user)).toMatchObject({ submission_received: true });
  });

  it('still answers after the erasure of the user', async () => {
    const { user, path } = await subscriber();
    await directory.ok(user, 'DELETE', '/api/user');
    expect((await post(path)).status).toBe(200);
  });
});
