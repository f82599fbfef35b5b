import { expect, it } from 'vitest';
import type * as z from 'zod';
import { routes } from '#contract/table.ts';
import { membersOf } from '#test/support/body-members.ts';

/** Texts in bodies: one that must not be empty has a visible character, and an optional one that is blank is null or absent. */

const EXAMPLES = ['x', 'https://x.example/', '#aabbcc', '+49 30 1234'];

const isText = (schema: z.ZodType): boolean =>
  EXAMPLES.some((example) => typeof schema.safeParse(example).data === 'string') && !schema.safeParse({}).success;

/** Filters of follows, which are read by the schemas of lists, values of CSS, and what is compared with a stored or a known value. */
const OTHERS =
  /^(?:follows\.create\.query\.|settings\.updateTheme\.|fields\.update\.(?:key|type|deleted_at)$|mcp\.call(?:\[\])?\.method$)/;

const texts = routes
  .flatMap(({ id, body }) => membersOf(body, id))
  .filter(([path, schema]) => isText(schema) && !OTHERS.test(path));

const isOptional = (schema: z.ZodType): boolean =>
  [undefined, null].some((nothing) => schema.safeParse(nothing).success);
const optional = texts.filter(([, schema]) => isOptional(schema));
const required = texts.filter(([, schema]) => !isOptional(schema));

/** Zero-width space, fillers, the braille blank, a soft hyphen, marks of direction and order, a joiner with a selector. */
const BLANKS = [
  '',
  ' ',
  '\n\t',
  '\u200b',
  '\u3164',
  '\uffa0',
  '\u2800',
  '\u00ad',
  '\u200e \ufeff',
  '\u200d\ufe0f',
  '\u180e',
];

it('the search finds texts of all kinds', () => {
  expect(optional.map(([path]) => path)).toEqual(
    expect.arrayContaining(['projects.submit.address_city', 'projects.submit.logo_url', 'collections.create.slug']),
  );
  expect(required.map(([path]) => path)).toEqual(
    expect.arrayContaining(['projects.submit.name', 'comments.add.content', 'fields.create.options[].label']),
  );
});

it.each(required)('%s has a visible character', (_, schema) => {
  const accepted = BLANKS.filter((blank) => schema.safeParse(blank).success);
  expect(accepted).toEqual([]);
});

it.each(optional)('%s is null or absent when it is blank, or wrong where it cannot be null', (_, schema) => {
  const isWrong = !schema.safeParse(null).success;
  const others = BLANKS.filter((blank) => {
    const { success, data } = schema.safeParse(blank);
    return success ? (data ?? null) !== null : !isWrong;
  });
  expect(others).toEqual([]);
});
