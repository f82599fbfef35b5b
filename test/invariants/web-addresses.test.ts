import { expect, it } from 'vitest';
import type * as z from 'zod';
import { routes } from '#contract/table.ts';
import { membersOf } from '#test/support/body-members.ts';

/** Addresses in bodies, which all have one schema: hosts are whole, and no character is invisible. */

const accepts = (schema: z.ZodType, value: string): boolean => schema.safeParse(value).success;

const isAddress = (schema: z.ZodType): boolean => accepts(schema, 'https://x.example/') && !accepts(schema, 'a b');

const addresses = routes.flatMap(({ id, body }) => membersOf(body, id)).filter(([, schema]) => isAddress(schema));

it('the search finds addresses of all kinds, and every member that is named like one', () => {
  const paths = addresses.map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'projects.submit.url',
      'projects.update.logo_url',
      'projects.submit.screenshots[]',
      'projects.submit.video_url',
      'users.updateProfile.website',
      'users.updateProfile.avatar_url',
      'webhooks.create.url',
    ]),
  );
  // Drafts hold what is not finished; their submission is checked.
  const named = routes
    .filter(({ id }) => !id.startsWith('drafts.'))
    .flatMap(({ id, body }) => membersOf(body, id))
    .map(([path]) => path)
    .filter((path) => /(?:[._]url|website|screenshots\[\])$/.test(path));
  expect(named.filter((path) => !paths.includes(path))).toEqual([]);
});

const WRONG = [
  'https://http://example.com',
  'http://-/',
  'https://example/',
  'https://a..example/',
  'https://xn--a.example/',
  'https://exam\u200bple.com/',
  'https://x.example/\u00a0b',
  'https://example.com/a\u00adb',
  'https://a.com,b.com/',
  'http://2130706433/',
  'https://user@example.com/',
];

/** Names of icons, which may be addresses. */
const icons = routes.flatMap(({ id, body }) => membersOf(body, id)).filter(([path]) => path.endsWith('.icon'));

it('a name is an icon too', () => {
  expect(icons.filter(([, schema]) => accepts(schema, 'beer') && accepts(schema, 'https://x.example/'))).toHaveLength(
    2,
  );
});

it.each([...addresses, ...icons])('%s has a whole host', (_, schema) => {
  expect(WRONG.filter((address) => accepts(schema, address))).toEqual([]);
});
