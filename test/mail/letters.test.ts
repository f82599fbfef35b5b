import { describe, expect, it } from 'vitest';
import type { Message } from '#events/catalogue.ts';
import { digestLetter } from '#shared/mail/digest-letters.ts';
import { type Letter, type Letterhead, written } from '#shared/mail/layout.ts';
import { paymentLetter } from '#shared/mail/payment-letters.ts';
import { priceOf } from '#shared/mail/phrases.ts';
import { promotionEndingLetter } from '#shared/mail/promotion-letters.ts';
import { submissionLetter } from '#shared/mail/submission-letters.ts';
import { webhookDisabledLetter } from '#shared/mail/webhook-letters.ts';

/** Every letter, with the worst that people may write into what it is made of. */

const NASTY = `<script>alert("x")</script>'&\r\nBcc: all@example.com\u2028\u202eevil`;
const head: Letterhead = { siteName: `Tools ${NASTY}`, siteUrl: 'https://directory.example' };

const project = {
  project_id: 'prj_1',
  slug: 'a-slug',
  name: NASTY,
  url: 'https://a.example',
  plan: 'standard',
  status: 'live',
  owner_id: 'u',
} as const;
const event = (kind: string, data: object) =>
  ({ id: 'evt_1', kind, occurred_at: '2026-11-20T09:30:00.000Z', actor_id: null, data }) as unknown;

const submission = (kind: string, more: object = {}) =>
  submissionLetter(
    event(kind, { ...project, ...more }) as Message<'projectSubmitted' | 'projectApproved' | 'projectRejected'>,
    NASTY,
    head,
  );

const payment = (fields: object = {}) =>
  paymentLetter(
    event('paymentSettled', {
      checkout_id: 'chk_1',
      purpose: 'upgrade',
      project_id: 'prj_1',
      user_id: 'u',
      amount: 6900,
      currency: 'usd',
      ...fields,
    }) as Message<'paymentSettled'>,
    NASTY,
    head,
  );

const letters: readonly (readonly [string, Letter])[] = [
  ['received', submission('projectSubmitted')],
  ['approved', submission('projectApproved')],
  ['rejected', submission('projectRejected', { reason: `${NASTY}\nSecond line` })],
  ['rejected without a reason', submission('projectRejected', { reason: null })],
  ['paid', payment()],
  ['paid for nothing that is there', payment({ project_id: null, purpose: 'submission' })],
  [
    'promotion ending',
    promotionEndingLetter(
      {
        promotion_id: 'prm_1',
        project_slug: 'a/b',
        project_name: NASTY,
        user_id: 'u',
        ends_at: '2026-11-20T23:59:00.000Z',
      },
      NASTY,
      head,
    ),
  ],
  [
    'webhook disabled',
    webhookDisabledLetter(
      event('webhookDisabled', {
        webhook_id: 'whk_1',
        host: NASTY,
        failing_since: '2026-11-20T09:30:00.000Z',
      }) as Message<'webhookDisabled'>,
      null,
      head,
    ),
  ],
  [
    'digest',
    digestLetter(
      { week: '2026-W47', newCount: 3, projects: [{ name: NASTY, slug: 'a"b', description: NASTY }] },
      NASTY,
      head,
    ),
  ],
];

describe.each(letters)('the letter "%s"', (_, letter) => {
  const mail = written(letter, head);

  it('keeps its subject on one line, whatever it is made of', () => {
    expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    expect(mail.subject.length).toBeGreaterThan(5);
    expect([...mail.subject].length).toBeLessThanOrEqual(200);
  });

  it('escapes in HTML what it did not write itself', () => {
    expect(mail.html).not.toMatch(/<script|alert\("/i);
    const attributes = mail.html.matchAll(/href="([^"]*)"/g);
    for (const [, url = ''] of attributes)
      expect(url).toMatch(/^https:\/\/directory\.example(?:\/projects\/[\w%-]+)?$/);
  });

  it('is whole HTML that mail clients show: tables, styles in place, nothing from elsewhere', () => {
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(mail.html).not.toMatch(/<(?:style|link|img|iframe|form)\b|url\(|src=/i);
    for (const tag of ['table', 'td', 'p', 'a', 'body', 'html']) {
      const count = (pattern: string) => (mail.html.match(new RegExp(pattern, 'g')) ?? []).length;
      expect([tag, count(`<${tag}[ >]`)]).toEqual([tag, count(`</${tag}>`)]);
    }
  });

  it('says the same in text', () => {
    expect(mail.text).not.toMatch(/<(?:p|a|table|br)\b/);
    for (const paragraph of letter.paragraphs) expect(mail.text).toContain(paragraph);
    if (letter.link) expect(mail.text).toContain(letter.link.url);
    expect(mail.text).toContain(letter.reason);
    expect(letter.reason).toMatch(/^You get this .*\.$/s);
  });
});

describe('an amount', () => {
  it.each([
    [6900, 'usd', 'USD 69.00'],
    [1, 'eur', 'EUR 0.01'],
    [123_456_700, 'chf', 'CHF 1,234,567.00'],
    [500, 'jpy', 'JPY 500'],
    [1234, 'kwd', 'KWD 1.234'],
  ])('of %i %s is written as %s', (amount, currency, words) => {
    expect(priceOf(amount, currency)).toBe(words);
  });
});

it('quotes the reason of a rejection, each line of it', () => {
  const mail = written(submission('projectRejected', { reason: 'One.\nTwo <b>.' }), head);
  expect(mail.text).toContain('> One.\n> Two <b>.');
  expect(mail.html).toContain('One.<br>Two &lt;b&gt;.</blockquote>');
});
