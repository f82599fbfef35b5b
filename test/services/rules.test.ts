import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { Condition } from '#contract/rules.ts';
import { noFields } from '#model/field.ts';
import { newUser } from '#model/user.ts';
import { startRequestTime } from '#platform/time-limit.ts';
import { decideByRules } from '#services/projects/apply-rules.ts';
import {
  containsPhrase,
  countLinks,
  examine,
  foldedTexts,
  isAllCaps,
  matches,
  type Submitted,
} from '#services/projects/rule-conditions.ts';
import { project } from '#test/catalog/fixtures.ts';

const at = '2026-03-10T12:00:00.000Z';
const submitter = newUser(
  { sub: 'usr_1', email: 'me@mail.shop.example', emailVerified: true, name: null, issuedAt: null },
  [],
  at,
);

const before = (id: string, hours: number, fields: Partial<Parameters<typeof project>[0]> = {}) =>
  project({ id, created_at: new Date(Date.parse(at) - hours * 3_600_000).toISOString(), ...fields });

const directory = new Catalog();
directory.apply(
  [
    before('live', 300, { name: 'Old Listing', url: 'https://old.example', description: 'Something old.' }),
    before('deleted', 23, { deleted_at: at }),
    before('pending', 25, { status: 'pending' }),
  ].map((one) => ({ kind: 'project' as const, project: one })),
);

const submission: Submitted = {
  id: 'new',
  name: 'Fresh Casíno',
  url: 'https://www.Sub.Shop.example/path',
  description: 'Play now at https://a.example or www.b.example.',
  long_description: 'Every “Bonus–Code” — 無料ゲーム.',
  categories: ['games', 'fun'],
  plan: 'standard',
  field_values: null,
  fields: noFields,
  submitter,
  at,
  catalog: () => Promise.resolve(directory),
};

const never: Submitted['catalog'] = () => Promise.reject(new Error('The catalog is not needed.'));

describe('a condition', () => {
  const cases: readonly (readonly [Condition, boolean, Partial<Submitted>?])[] = [
    [{ domain_in: ['shop.example'] }, true],
    [{ domain_in: ['sub.shop.example', 'x.example'] }, true],
    [{ domain_in: ['op.example', 'other.example', 'a.sub.shop.example'] }, false],
    [{ domain_is_shortener: true }, false],
    [{ domain_is_shortener: true }, true, { url: 'http://bit.ly/abc' }],
    [{ domain_in: ['*.example'] }, true],
    [{ domain_in: ['*.ample'] }, false],
    [{ mail_domain_in: ['shop.example'] }, true],
    [{ mail_domain_in: ['*.com', '*.example'] }, true],
    [{ mail_domain_in: ['hop.example'] }, false],
    [{ mail_domain_in: ['shop.example'] }, false, { submitter: { ...submitter, email: null } }],
    [{ mail_is_disposable: true }, false],
    [{ mail_is_disposable: true }, true, { submitter: { ...submitter, email: 'x@sub.mailinator.com' } }],
    [{ mail_unverified: true }, false],
    [{ mail_unverified: true }, true, { submitter: { ...submitter, email_verified: false } }],
    [{ text_contains: ['CASINO'] }, true],
    [{ text_contains: ['casin', 'bonus code'] }, true],
    [{ text_contains: ['casin', 'code bonus', 'onu', '!'] }, false],
    [{ text_contains: ['ゲーム'] }, true],
    [{ links_in_text: 2 }, true],
    [{ links_in_text: 3 }, false],
    [{ duplicate_score: 0.6 }, false],
    [{ duplicate_score: 0.6 }, true, { name: 'Old Listing', url: 'http://old.example/' }],
    [
      { duplicate_score: 0.6 },
      false,
      { name: 'Old Listing', url: 'http://old.example/', at: '2026-01-01T00:00:00.000Z' },
    ],
    [{ submissions_last_day: 2 }, true],
    [{ submissions_last_day: 3 }, false],
    [{ live_projects: 1 }, true],
    [{ live_projects: 2 }, false],
    [{ live_projects: 1 }, false, { id: 'live' }],
    [{ plan_is: 'premium' }, false],
    [{ plan_is: 'premium' }, true, { plan: 'premium' }],
    [{ category_in: ['fun'] }, true],
    [{ category_in: ['work'] }, false],
  ];

  it.each(cases.map(([condition, isMet, fields = {}]) => ({ condition, isMet, fields })))(
    '$condition is met: $isMet',
    async ({ condition, isMet, fields }) => {
      expect(await matches({ all: [condition] }, examine({ ...submission, ...fields }))).toBe(isMet);
    },
  );

  it('a condition is evaluated only as far as needed, the cheap ones first', async () => {
    const similar = { duplicate_score: 0.5 };
    const without = { ...submission, catalog: never };
    expect(await matches({ all: [similar, { plan_is: 'premium' }] }, examine(without))).toBe(false);
    expect(await matches({ any: [similar, { plan_is: 'standard' }] }, examine(without))).toBe(true);
    await expect(matches({ all: [similar, { plan_is: 'standard' }] }, examine(without))).rejects.toThrow('not needed');
    expect(await matches({ any: [{ plan_is: 'premium' }, { links_in_text: 3 }] }, examine(without))).toBe(false);
    expect(await matches({ all: [{ plan_is: 'standard' }, { links_in_text: 2 }] }, examine(without))).toBe(true);
  });

  it.each([{}, { all: [{ of_another_version: true }] }])('a condition that is unknown fails: %j', async (when) => {
    await expect(matches(when as never, examine(submission))).rejects.toThrow();
  });
});

it('the texts of a submission are folded once, and its most similar listing is searched once, for all rules', async () => {
  let reads = 0;
  let searches = 0;
  const counted: Submitted = {
    ...submission,
    catalog: () => {
      searches += 1;
      return Promise.resolve(directory);
    },
  };
  Object.defineProperty(counted, 'long_description', {
    enumerable: true,
    get: () => {
      reads += 1;
      return 'Long.';
    },
  });
  const when = {
    any: Array.from({ length: 20 }, () => [{ text_contains: ['absent'] }, { duplicate_score: 1 }]).flat(),
  };
  const rule = { version: 1, name: 'Rule', is_active: true, order: 0, when, action: 'hold', reason: null, note: null };
  const rules = Array.from({ length: 10 }, (_, n) => ({ ...rule, id: `rul_${n}`, action: 'hold' as const }));
  expect(await decideByRules(rules, counted, () => {})).toBeUndefined();
  expect(searches).toBe(1);
  // Once for the copy of the submission, once to fold it.
  expect(reads).toBe(2);
});

it('rules are not tried any more when the time of the request is nearly over', async () => {
  const time = startRequestTime(100);
  const failing = { ...submission, catalog: never };
  const rule = { id: 'rul_1', version: 1, name: 'Rule', is_active: true, order: 0, reason: null, note: null };
  const rules = [{ ...rule, action: 'hold' as const, when: { any: [{ plan_is: 'standard' as const }] } }];
  await expect(time.run(() => decideByRules(rules, failing, () => {}))).rejects.toMatchObject({ code: 'TIMEOUT' });
  time.end();
});

const text = (description: string) => ({ name: '', description, long_description: null });

it('the text of a submission is searched in linear time: a long one does not reach the timeout of a test', () => {
  for (const part of ['a ', 'http', '(', 'www.', 'aA', '\u0301']) {
    const long = text(part.repeat(100_000));
    expect(containsPhrase(foldedTexts(long), [`${'a '.repeat(49)}b`, '((((']), part).toBe(false);
    expect(countLinks(long), part).toBe(part === 'www.' ? 1 : 0);
    expect(isAllCaps(long), part).toBe(false);
  }
});

it('the text of a submission is shouted when most of its letters are capitals', () => {
  expect(isAllCaps(text('THE BEST DEALS IN TOWN, really'))).toBe(true);
  expect(isAllCaps(text('NASA, ESA and the JAXA build a telescope'))).toBe(false);
  expect(isAllCaps(text('OK'))).toBe(false);
});
