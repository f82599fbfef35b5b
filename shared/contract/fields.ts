import * as z from 'zod';
import { errorCodes, type FieldIssue, invalidFields } from '#shared/errors.ts';
import { trimmed, withoutControls } from './characters.ts';
import { splitAtCommas } from './comma-list.ts';

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const units: Readonly<Record<string, string>> = { string: 'have NUMBER characters', array: 'have NUMBER entries' };

const boundOf = (origin: string, words: string, bound: number | bigint): string =>
  `must ${(units[origin] ?? 'be NUMBER').replace('NUMBER', `${words} ${bound}`)}`;

/** The message of an issue whose schema has none of its own; empty when messages of nested issues say more. */
const explain = (issue: z.core.$ZodRawIssue): string => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return boundOf(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return boundOf(issue.origin, 'at most', issue.maximum);
    case 'invalid_union': {
      const { discriminator, input } = issue;
      if (discriminator === undefined) return '';
      const { [discriminator]: given } = input as Record<string, unknown>;
      return given === undefined ? 'is required' : `must be one of ${(issue.options as readonly unknown[]).join(', ')}`;
    }
    case 'invalid_key':
      return '';
    default:
      return 'must be valid';
  }
};

/**
 * The issues with their messages. The last alternative of a union is the one to explain: the others stand for no value,
 * such as a blank text.
 */
const explained = (issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): FieldIssue[] =>
  issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.message !== '') return { path, message: issue.message };
    if (issue.code === 'invalid_union') return explained(issue.errors.at(-1) ?? [], path);
    return issue.code === 'invalid_key' ? explained(issue.issues, path) : [];
  });

/** Parses a value with a schema. @returns the parsed value, or why it is invalid. */
export const parsed = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  error: z.core.$ZodErrorMap = explain,
): { readonly data: z.output<S>; readonly issues?: never } | { readonly issues: readonly FieldIssue[] } => {
  const result = schema.safeParse(value, { ...parseOptions(schema), error });
  return result.success ? { data: result.data } : { issues: explained(result.error.issues) };
};

/** Parses a value with a schema. @throws 400 with a message for every invalid field. */
export const checked = <S extends z.ZodType>(schema: S, value: unknown, error?: z.core.$ZodErrorMap): z.output<S> => {
  const result = parsed(schema, value, error);
  if (result.issues) throw invalidFields(result.issues);
  return result.data;
};

/** Parses query parameters, of which repeated ones are lists. @throws 400 with a message for every invalid one. */
export const checkedQuery = <S extends z.ZodType>(schema: S, query: Readonly<Record<string, unknown>>): z.output<S> =>
  checked(schema, query, (issue) =>
    Array.isArray(issue.input) && issue.code !== 'too_big' ? 'must be given once' : explain(issue),
  );

export const data = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** The response to a deletion. */
export const deleted = data(z.object({ id: z.string(), deleted: z.literal(true) }));

/** What names a project in responses about something else. */
export const ProjectReference = z.object({ id: z.string(), slug: z.string(), name: z.string() });

export const PageMeta = z
  .object({
    total: z.int().min(0).describe('The exact number of items on all pages.'),
    page: z.int().min(1).describe('The number of this page, from 1.'),
    pageSize: z.int().min(1).max(100).describe('The number of items on a full page.'),
    hasMore: z.boolean().describe('Whether another page follows.'),
  })
  .meta({ id: 'PageMeta' });
export type PageMeta = z.infer<typeof PageMeta>;

export const page = <T extends z.ZodType>(schema: T) => z.object({ data: z.array(schema), meta: PageMeta });

const CursorMeta = z
  .object({
    pageSize: z.int().min(1).max(100).describe('The number of entries on a full page.'),
    hasMore: z.boolean().describe('Whether another page follows.'),
    nextAfter: z.string().nullable().describe('The value of `after` for the next page; null on the last page.'),
  })
  .meta({ id: 'CursorMeta' });

export const cursorPage = <T extends z.ZodType>(schema: T) => z.object({ data: z.array(schema), meta: CursorMeta });

export const ErrorBody = z
  .looseObject({
    error: z.string().describe('The fixed text of the status.'),
    code: z.enum(errorCodes).describe('The stable error code for programs.'),
    message: z.string().optional().describe('A sentence for developers.'),
    details: z
      .looseObject({ _errors: z.array(z.string()) })
      .optional()
      .describe('On 400: messages per field, each field an object with `_errors`; array positions nest by index.'),
    retryAfter: z
      .int()
      .min(1)
      .optional()
      .describe('On 429 and `UNAVAILABLE`: whole seconds until a retry can succeed.'),
    parts: z
      .record(z.string(), z.string())
      .optional()
      .describe('On `UNHEALTHY`: every checked dependency with `ok`, `failed` or `timeout`.'),
    checked_at: z.iso.datetime().optional().describe('On `UNHEALTHY`: the time of the check.'),
    request_id: z.string().optional().describe('On 500: the id to quote in a support request.'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

const LINE_BREAKS = /[\r\n\t]+/;

/** Joins lines with spaces. Splitting is linear in the length; a pattern with spaces on both sides is not. */
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

const blank = z
  .string()
  .overwrite(trimmed)
  .refine((value) => value === '')
  .meta({ const: '' });

/** Forms send an empty string for an optional field that has no value; one without a visible character counts as empty. */
export const blankAsNull = <T extends z.ZodType>(schema: T) => z.union([blank.transform(() => null), schema]);

/**
 * Multi-line text: without invisible characters at both ends, line ends as `\n`, other control characters and bidirectional
 * overrides removed, `min` to `max` code points.
 */
export const text = (min: number, max: number) =>
  bounded(
    z.string().overwrite((value) => trimmed(withoutControls(value.replace(/\r\n?/g, '\n')))),
    min,
    max,
  );

/** Single-line text: like `text`, with line breaks and tabs replaced by spaces. */
export const line = (min: number, max: number) =>
  bounded(
    z.string().overwrite((value) => trimmed(withoutControls(onOneLine(value)))),
    min,
    max,
  );

/** Text that is kept as it is but for invisible characters at both ends. */
export const verbatim = (min: number, max: number) => bounded(z.string().overwrite(trimmed), min, max);

const emptyAsNull = (schema: z.ZodType<string, string>) => schema.nullable().transform((value) => value || null);

/** A `text` or null; a blank one is null. */
export const optionalText = (max: number) => emptyAsNull(text(0, max));

/** A `line` or null; a blank one is null. */
export const optionalLine = (max: number) => emptyAsNull(line(0, max));

/** Takes null and a blank string for an absent member. */
export const blankAsAbsent = <T extends z.ZodType>(schema: T) =>
  blankAsNull(schema.nullable())
    .transform((value) => value ?? undefined)
    .optional();

/** The longest id or slug, in characters. Keys of the table are limited to 2048 bytes. */
export const REFERENCE_MAX = 200;

/** JSON can carry lone surrogates, which DynamoDB accepts neither in keys nor in values. */
export const wellFormed = (schema: z.ZodString) =>
  schema.refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode' });

/** An identifier in a body. */
export const reference = (max: number) =>
  wellFormed(z.string().overwrite(trimmed).min(1, { error: 'must not be empty' }).max(max));

/** An id or slug in a body. */
export const Reference = reference(REFERENCE_MAX);

/** A slug: lower-case letters, digits and single hyphens, at most 100 characters. */
export const Slug = z
  .string()
  .trim()
  .min(1, { error: 'must not be empty' })
  .max(100, { error: 'must have at most 100 characters' })
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: 'must be lower-case letters and digits with single hyphens' });

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time in responses: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(TIMESTAMP)
  .meta({ format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] });

/** A time in requests: ISO 8601 with any offset; stored in UTC with milliseconds. */
export const TimestampInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-11-20T09:30:00.000Z' })
  .overwrite((value) => (Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString()))
  // An offset can move the time out of the years with four digits.
  .refine((value) => TIMESTAMP.test(value), { error: 'must be an existing time in the years 0000 to 9999' });

/** Numbers that the table cannot store; those of JSON never have too many digits for it. */
const isStorable = (value: number): boolean => {
  const magnitude = Math.abs(value);
  return magnitude === 0 || (magnitude >= 1e-130 && magnitude <= 9.99e125);
};

/** A number in a body. */
export const decimal = () =>
  z.number().refine(isStorable, { error: 'must be 0 or of a magnitude between 1e-130 and 9.99e125' });

/** A whole number in a body, between `min` and `max`. */
export const integer = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  // An absent value is left to the message that all schemas have for it.
  const error = ({ input }: { input?: unknown }) => (input === undefined ? undefined : rule);
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** An optional list in a body, for lists that may be empty: null means empty. */
export const optionalList = <T extends z.ZodType<unknown, readonly unknown[]>>(list: T) =>
  z
    .union([
      z
        .null()
        .transform((): never[] => [])
        .pipe(list as unknown as z.ZodType<z.output<T>, never[]>),
      list,
    ])
    .optional();

/** A plus sign that is not escaped in a query is a space: `1e+2` arrives as `1e 2`. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+ -]?\d+)?$/;

const decimalText = (error: string) =>
  z
    .string()
    .trim()
    .regex(DECIMAL, { error })
    .transform((value) => Number(value.replace(' ', '+')));

/** A finite number in the query string, in any decimal notation that programs print: `-3.5999999999999996`, `1e-7`. */
export const decimalParameter = (unit?: string) => {
  const error = unit === undefined ? 'must be a number' : `must be a number of ${unit}`;
  return decimalText(error).pipe(z.number({ error }));
};

/** A whole number in the query string, between `min` and `max`. */
export const wholeNumber = (min: number, max: number) =>
  // A number out of bounds gets the message about its bound.
  decimalText('must be a whole number').pipe(
    z
      .int({ error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined) })
      .min(min)
      .max(max),
  );

/** `page` and `limit` of every paged list. */
export const paging = (defaultLimit: number) => ({
  page: wholeNumber(1, 1_000_000_000).default(1).describe('The page, from 1. A page past the end is empty.'),
  limit: wholeNumber(1, 100).default(defaultLimit).describe('Items per page.'),
});

/** Rejects page numbers where lists have a cursor: a client that counted pages would never reach the end. */
export const NoPage = z.never({ error: 'is not supported: use after' }).optional();

/** `after` and `limit` of every list with a cursor. @param prefix of the ids of its entries. */
export const cursorParameters = (prefix: string) => ({
  after: z
    .string()
    .trim()
    .regex(new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`), { error: 'must be the id of an entry' })
    .optional()
    .describe('Continues after the entry with this id.'),
  limit: wholeNumber(1, 100).default(40).describe('Entries per page.'),
  page: NoPage,
});

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A time in the query string; of a day, its first or last moment (UTC). */
const timeParameter = (timeOfDay: string) =>
  z
    .string()
    .trim()
    .transform((value) => (DAY.test(value) ? `${value}T${timeOfDay}Z` : value))
    .pipe(TimestampInput);

/** `from` and `to` of a log, both included. */
export const periodParameters = {
  from: timeParameter('00:00:00.000').optional().describe('Only entries from this time on: ISO 8601, or a day (UTC).'),
  to: timeParameter('23:59:59.999').optional().describe('Only entries up to this time: ISO 8601, or a day (UTC).'),
};

const filterText = z.string({ error: 'must be given once' }).trim().min(1).max(300).optional();

/** The filters of the event log and the audit log. @param subjects examples of `subject`. */
export const logFilters = (subjects: string) => ({
  ...periodParameters,
  actor: filterText.describe('Only entries caused by the user or API key with this id.'),
  subject: filterText.describe(`Only entries about this record, such as ${subjects}.`),
});

/** One value or several separated by commas; the parameter may also be repeated. Blank entries are dropped. */
export const commaSeparated = (max: number) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap(splitAtCommas).map(trimmed))
    .transform((values) => [...new Set(values.filter((value) => value !== ''))])
    .pipe(z.array(z.string()).max(max));

/** An optional `true` or `false` in a query. */
export const flagParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true')
  .optional();

/** `dry_run` of operations on many projects. */
export const dryRunParameter = {
  dry_run: flagParameter.describe('`true`: respond with what would happen and write nothing.'),
} as const;

export const placementNames = ['banner', 'catalog', 'detail'] as const;
export const Placement = z.enum(placementNames);
export type Placement = z.infer<typeof Placement>;

/** The placements of a purchase or a grant. */
export const Placements = z
  .array(Placement)
  .min(1, { error: 'must name at least one placement' })
  .max(20)
  .transform((all) => [...new Set(all)]);

const used = new WeakSet<z.ZodType>();

/**
 * The options for the next parse with a schema. zod compiles the schemas of objects when they parse their first value, which takes
 * several milliseconds: a function that starts interprets a schema at its first use and compiles it at the second one.
 */
export const parseOptions = (schema: z.ZodType): { readonly jitless?: true } => {
  if (used.has(schema)) return {};
  used.add(schema);
  return { jitless: true };
};

/** Parses a value with `parseOptions`. @throws what the schema's own `parse` throws. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> =>
  schema.parse(value, parseOptions(schema));
