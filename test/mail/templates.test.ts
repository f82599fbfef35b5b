import { describe, expect, it } from 'vitest';
import type { Message } from '#events/catalogue.ts';
import { type Branding, type EmailContent, renderEmail } from '#shared/mail/render.ts';
import {
  digestEmail,
  paymentEmail,
  promotionEndingEmail,
  type SubmissionKind,
  submissionEmail,
  webhookDisabledEmail,
} from '#shared/mail/templates.ts';

/** Contains markup, a header injection and a bidirectional control. */
const HOSTILE = `<script>alert("x")</script>'&\r\nBcc: all@example.com\u2028\u202eevil`;
const branding: Branding = { siteName: `Tools ${HOSTILE}`, siteUrl: 'https://directory.example' };

const project = {
  project_id: 'prj_1',
  slug: 'a-slug',
  name: HOSTILE,
  url: 'https://a.example',
  plan: 'standard',
  status: 'live',
  owner_id: 'u',
} as const;
const event = (kind: string, data: object) =>
  ({ id: 'evt_1', kind, occurred_at: '2026-11-20T09:30:00.000Z', actor_id: null, data }) as unknown;

const submission = (kind: string, more: object = {}) =>
  submissionEmail(event(kind, { ...project, ...more }) as Message<SubmissionKind>, HOSTILE, branding);

const payment = (fields: object = {}) =>
  paymentEmail(
    event('paymentSettled', {
      checkout_id: 'chk_1',
      purpose: 'upgrade',
      project_id: 'prj_1',
      user_id: 'u',
      amount: 6900,
      currency: 'usd',
      ...fields,
    }) as Message<'paymentSettled'>,
    HOSTILE,
    branding,
  );

const emails: readonly (readonly [string, EmailContent])[] = [
  ['received', submission('projectSubmitted')],
  ['approved', submission('projectApproved')],
  ['rejected', submission('projectRejected', { reason: `${HOSTILE}\nSecond line` })],
  ['rejected without a reason', submission('projectRejected', { reason: null })],
  [
    'edit approved in part',
    submission('revisionApproved', { revision_id: 'rev_1', fields: ['name', 'url'], applied: ['url'] }),
  ],
  ['edit approved', submission('revisionApproved', { revision_id: 'rev_1', fields: ['name'], applied: ['name'] })],
  [
    'edit rejected',
    submission('revisionRejected', { revision_id: 'rev_1', fields: ['name', 'slug'], reason: HOSTILE }),
  ],
  [
    'edit rejected by an erased administrator',
    submission('revisionRejected', { revision_id: 'rev_1', fields: ['name'], reason: null }),
  ],
  ['paid', payment()],
  ['paid without a project', payment({ project_id: null, purpose: 'submission' })],
  [
    'promotion ending',
    promotionEndingEmail(
      {
        promotion_id: 'prm_1',
        project_slug: 'a/b',
        project_name: HOSTILE,
        user_id: 'u',
        ends_at: '2026-11-20T23:59:00.000Z',
      },
      HOSTILE,
      branding,
    ),
  ],
  [
    'webhook disabled',
    webhookDisabledEmail(
      event('webhookDisabled', {
        webhook_id: 'whk_1',
        host: HOSTILE,
        failing_since: '2026-11-20T09:30:00.000Z',
      }) as Message<'webhookDisabled'>,
      null,
      branding,
    ),
  ],
  [
    'digest',
    digestEmail(
      { week: '2026-W47', newCount: 3, projects: [{ name: HOSTILE, slug: 'a"b', description: HOSTILE }] },
      HOSTILE,
      branding,
    ),
  ],
];

describe.each(emails)('the email "%s"', (_, content) => {
  const mail = renderEmail(content, branding);

  it('has a subject without line breaks and control characters', () => {
    expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    expect(mail.subject.length).toBeGreaterThan(5);
    expect([...mail.subject].length).toBeLessThanOrEqual(200);
  });

  it('escapes user content in HTML', () => {
    expect(mail.html).not.toMatch(/<script|alert\("/i);
    const attributes = mail.html.matchAll(/href="([^"]*)"/g);
    for (const [, url = ''] of attributes)
      expect(url).toMatch(/^https:\/\/directory\.example(?:\/projects\/[\w%-]+)?$/);
  });

  it('is complete HTML with inline styles and without external resources', () => {
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(mail.html).not.toMatch(/<(?:style|link|img|iframe|form)\b|url\(|src=/i);
    for (const tag of ['table', 'td', 'p', 'a', 'body', 'html']) {
      const count = (pattern: string) => (mail.html.match(new RegExp(pattern, 'g')) ?? []).length;
      expect([tag, count(`<${tag}[ >]`)]).toEqual([tag, count(`</${tag}>`)]);
    }
  });

  it('has the same content as plain text', () => {
    expect(mail.text).not.toMatch(/<(?:p|a|table|br)\b/);
    for (const paragraph of [...content.paragraphs, ...(content.closing ?? [])]) expect(mail.text).toContain(paragraph);
    if (content.link) expect(mail.text).toContain(content.link.url);
    expect(mail.text).toContain(content.reason);
    expect(content.reason).toMatch(/^You get this .*\.$/s);
  });
});

it('the receipt names the amount with the decimals of the payment provider', () => {
  const mail = renderEmail(payment({ amount: 690_000, currency: 'huf' }), branding);
  expect(mail.subject).toBe('We have received your payment of HUF 6,900.00');
  expect(mail.text).toContain('Your payment of HUF 6,900.00 to');
});

it('the rejection email quotes every line of the reason, after the sentence that introduces it', () => {
  const mail = renderEmail(submission('projectRejected', { reason: 'One.\nTwo <b>.' }), branding);
  expect(mail.text).toContain('The reviewer wrote:\n\n> One.\n> Two <b>.\n\nYou can edit your submission');
  expect(mail.html).toMatch(
    /The reviewer wrote:<\/p>\s*<blockquote[^>]*>One\.<br>Two &lt;b&gt;\.<\/blockquote>\s*<p[^>]*>You can edit/,
  );
});

it('mails about what has no public page link to the account, where the pages of the service are on', () => {
  const urlWith = (kind: string, isOn: boolean) =>
    submissionEmail(
      event(kind, {
        ...project,
        reason: null,
        fields: [],
        publish_at: '2026-12-01T00:00:00.000Z',
      }) as Message<SubmissionKind>,
      null,
      {
        ...branding,
        features: { site: isOn },
      },
    ).link?.url;
  for (const kind of ['projectSubmitted', 'projectScheduled', 'projectRejected', 'revisionRejected']) {
    expect([kind, urlWith(kind, true)]).toEqual([kind, 'https://directory.example/me']);
    expect([kind, urlWith(kind, false)]).toEqual([kind, undefined]);
  }
});
