import * as z from 'zod';

/**
 * The building blocks of schemas: text that is trimmed and counted in code points, addresses, times,
 * and the parameters of lists. Bounds are those of the contract's section on limits of fields.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS_BUT_NEWLINE_AND_TAB = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const LINE_BREAKS = /[\r\n\t]+/;

/** One line of several. Splitting takes time in step with the length, which a pattern with spaces on both sides does not. */
const onOneLine = (value: string): string =>
  value
    .split(LINE_BREAKS)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');

const countCodePoints = (value: string): number => {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

const bounded = (schema: z.ZodType<string, string>, min: number, max: number) =>
  schema
    .check((context) => {
      if (!context.value.isWellFormed()) {
        context.issues.push({ code: 'custom', message: 'must be well-formed Unicode', input: context.value });
      }
      const length = context.value.length <= max && min <= 1 ? context.value.length : countCodePoints(context.value);
      if (length < min) {
        const message = min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
        context.issues.push({ code: 'custom', message, input: context.value });
      } else if (length > max) {
        context.issues.push({ code: 'custom', message: `must have at most ${max} characters`, input: context.value });
      }
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });

/** Text of several lines: trimmed, line ends as `\n`, other control characters removed, `min` to `max` code points. */
export const text = (min: number, max: number) =>
  bounded(
    z.string().overwrite((value) => value.replace(/\r\n?/g, '\n').replace(CONTROLS_BUT_NEWLINE_AND_TAB, '').trim()),
    min,
    max,
  );

/** Text of one line: as `text`, with line breaks and tabs made spaces. */
export const line = (min: number, max: number) =>
  bounded(
    z.string().overwrite((value) => onOneLine(value).replace(CONTROLS_BUT_NEWLINE_AND_TAB, '').trim()),
    min,
    max,
  );

/** The longest address that is taken, in characters. */
export const URL_MAX = 2048;

/** An absolute http or https address of at most 2048 characters, kept as the caller wrote it. */
export const WebUrl = line(1, URL_MAX)
  .refine(
    (value) => {
      const url = URL.parse(value);
      return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
    },
    { error: 'must be an http or https address' },
  )
  .meta({ format: 'uri' });

/** The longest id or slug that is looked up, in characters: none is longer, and a key of the table holds 2048 bytes. */
export const REFERENCE_MAX = 200;

/** What may name a thing, in a body. JSON can carry half a character, which the table takes neither as a key nor as a value. */
export const reference = (max: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(max)
    .refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode' });

/** The id or slug of a thing, in a body. */
export const Reference = reference(REFERENCE_MAX);

/** A slug: lower-case letters, digits and single hyphens, at most 100 characters. */
export const Slug = z
  .string()
  .trim()
  .min(1, { error: 'must not be empty' })
  .max(100, { error: 'must have at most 100 characters' })
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: 'must be lower-case letters and digits with single hyphens' });

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time as the service writes it: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(TIMESTAMP)
  .meta({ format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] });

/** A time as a caller may write it: ISO 8601 with any offset; kept in UTC with milliseconds. */
export const TimestampInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-11-20T09:30:00.000Z' })
  .overwrite((value) => (Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString()))
  // An offset may lead out of the years that are written with four digits.
  .refine((value) => TIMESTAMP.test(value), { error: 'must be a time that exists, in the years 0000 to 9999' });

/** A whole number in the query string, between `min` and `max`. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string({ error: 'must be given once' })
    .trim()
    .regex(/^-?\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(min, { error: `must be at least ${min}` })
        .max(max, { error: `must be at most ${max}` }),
    );

/** `page` and `limit` of every paged list. */
export const paging = (defaultLimit: number) => ({
  page: wholeNumber(1, 1_000_000_000).default(1).describe('The page, from 1. A page past the end is empty.'),
  limit: wholeNumber(1, 100).default(defaultLimit).describe('Items per page.'),
});

/** One value or several separated by commas; the parameter may also be repeated. Blank entries are dropped. */
export const commaSeparated = (max: number) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap((part) => part.split(',')))
    .transform((parts) => [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))])
    .pipe(z.array(z.string()).max(max, { error: `must name at most ${max}` }));
