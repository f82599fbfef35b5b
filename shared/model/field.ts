import * as z from 'zod';
import { trimmed } from '#contract/characters.ts';
import {
  type CustomValue,
  FIELD_VALUES_BYTES_MAX,
  type Field,
  type FieldAccess,
  type FieldType,
  type Hours,
  weekdays,
} from '#contract/custom-fields.ts';
import { decimal, line, parsed, text, verbatim } from '#contract/fields.ts';
import { asciiHost } from '#contract/host.ts';
import type { FieldChange } from '#contract/projects.ts';
import { WebUrl, withScheme } from '#contract/web-addresses.ts';
import { type FieldIssue, invalidFields } from '#shared/errors.ts';
import { mailDomain } from './mail-address.ts';
import { minutesOfSpan } from './opening-hours.ts';

/** A definition as stored. It names its categories by their ids, because slugs change. */
export interface FieldRecord extends Readonly<Omit<Field, 'categories'>> {
  /** With the slugs at the time of the last change, which are shown for categories that were deleted since. */
  readonly categories: readonly { readonly id: string; readonly slug: string }[];
  /** Increases with every change. */
  readonly version: number;
}

/** A definition with the present slugs of its categories. */
export interface CurrentField extends FieldRecord {
  /** What is shown of its categories. */
  readonly slugs: readonly string[];
  /** The slugs that listings in its categories carry, also while a change of a slug is propagated; undefined for all listings. */
  readonly within: ReadonlySet<string> | undefined;
}

/** The order of forms, columns and facets. */
export const byFieldOrder = (
  one: Pick<FieldRecord, 'sort_order' | 'id'>,
  other: Pick<FieldRecord, 'sort_order' | 'id'>,
): number => one.sort_order - other.sort_order || (one.id < other.id ? -1 : 1);

/** The definitions at a time, without deleted ones. A change makes another object. */
export class Fields {
  /** In their order. */
  readonly all: readonly CurrentField[];
  readonly #byKey: ReadonlyMap<string, CurrentField>;
  readonly #byId: ReadonlyMap<string, CurrentField>;

  constructor(definitions: readonly CurrentField[]) {
    this.all = definitions.filter(({ deleted_at }) => deleted_at === null).toSorted(byFieldOrder);
    this.#byKey = new Map(this.all.map((field) => [field.key, field]));
    this.#byId = new Map(this.all.map((field) => [field.id, field]));
  }

  get(key: string): CurrentField | undefined {
    return this.#byKey.get(key);
  }

  withId(id: string): CurrentField | undefined {
    return this.#byId.get(id);
  }
}

export const noFields = new Fields([]);

/** While the feature is off: projects then have no member for values. */
export const fieldsOff = new Fields([]);

/** Who reads values: all callers, the owner of the listing, or staff. */
export type Reader = FieldAccess;

const ranks: Readonly<Record<Reader, number>> = { public: 0, owner: 1, staff: 2 };

export const mayRead = (reader: Reader, { access }: Pick<FieldRecord, 'access'>): boolean =>
  ranks[reader] >= ranks[access];

/** Whether a field applies to a listing of some categories. */
const appliesTo = ({ within }: CurrentField, categories: readonly string[]): boolean =>
  within === undefined || categories.some((slug) => within.has(slug));

// --- Types ---

const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return ZONE.test(zone);
  } catch {
    return false;
  }
};

/** A span in minutes since the beginning of the week; its end may be in the next one. */
const spanOf = (day: number, span: readonly string[]): readonly [number, number] => {
  const [from, to] = minutesOfSpan(span);
  return [day * DAY_MINUTES + from, day * DAY_MINUTES + to];
};

const overlaps = (week: Hours['week']): boolean => {
  const spans = weekdays
    .flatMap((day, index) => (week[day] ?? []).map((span) => spanOf(index, span)))
    .sort(([one], [other]) => one - other);
  const [first] = spans;
  const all = first ? [...spans, [first[0] + WEEK_MINUTES, first[1] + WEEK_MINUTES] as const] : [];
  return all.some(([begin], index) => index > 0 && begin < (all[index - 1]?.[1] ?? 0));
};

const day = z.iso.date({ error: 'must be a date such as 2026-11-20' });

const begin = z.string().regex(TIME, { error: 'must be a time such as 09:00' });
const end = z
  .string()
  .refine((value) => value === '24:00' || TIME.test(value), { error: 'must be a time such as 17:30, at most 24:00' });
const spans = z
  .array(
    z
      .tuple([begin, end], { error: 'must be a begin and an end' })
      .refine(([from, to]) => from !== to, { error: 'must not end when it begins' }),
  )
  .max(4, { error: 'must have at most 4 spans' })
  .optional();

const hours = z
  .object({
    zone: z.string().refine(isZone, { error: 'must be the IANA name of a time zone, such as Europe/Berlin' }),
    week: z
      .object({ mo: spans, tu: spans, we: spans, th: spans, fr: spans, sa: spans, su: spans })
      .refine((week) => !overlaps(week), { error: 'must not have overlapping spans' }),
    closed: z
      .array(day)
      .max(60, { error: 'must have at most 60 dates' })
      .default([])
      .transform((dates) => [...new Set(dates)].sort()),
  })
  .transform(({ zone, week, closed }): Hours => {
    const given = weekdays.flatMap((name) =>
      week[name]?.length ? [[name, week[name].toSorted(([one], [other]) => (one < other ? -1 : 1))] as const] : [],
    );
    return { zone, week: Object.fromEntries(given), closed };
  });

const optionError = { error: 'must be an option of the field' };

/** What is specific to a type. */
interface TypeRules {
  readonly filterable: boolean;
  readonly sortable: boolean;
  readonly searchable: boolean;
  /** Checks a value that is written. */
  readonly schema: (field: FieldRecord) => z.ZodType<CustomValue>;
  /** The cell of a value in CSV; of a list those of its entries. */
  readonly print: (value: CustomValue) => string | readonly string[];
  /**
   * The value that a cell stands for, or the cell as it is when it stands for none; not checked.
   * @param split returns the entries of a list.
   */
  readonly read: (cell: string, split: (cell: string) => readonly string[]) => unknown;
}

const asText = { print: String, read: (cell: string): unknown => cell };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Also what other products write. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const none = { filterable: false, sortable: false, searchable: false } as const;

export const typeRules: Readonly<Record<FieldType, TypeRules>> = {
  text: { ...none, ...asText, filterable: true, searchable: true, schema: () => line(1, 200) },
  long_text: { ...none, ...asText, searchable: true, schema: () => text(1, 5000) },
  number: {
    ...none,
    filterable: true,
    sortable: true,
    schema: ({ min, max }) =>
      decimal()
        .refine((value) => min === null || value >= min, { error: `must be at least ${min}` })
        .refine((value) => max === null || value <= max, { error: `must be at most ${max}` })
        // Minus zero is not kept.
        .transform((value) => value + 0),
    print: String,
    read: (cell) => (NUMBER.test(cell) ? Number(cell) : cell),
  },
  select: {
    ...none,
    print: String,
    read: (cell) => cell.toLowerCase(),
    filterable: true,
    searchable: true,
    schema: ({ options }) => z.enum(options.map(({ value }) => value) as [string, ...string[]], optionError),
  },
  multi_select: {
    ...none,
    filterable: true,
    searchable: true,
    schema: ({ options }) => {
      const values = options.map(({ value }) => value);
      return z
        .array(z.enum(values as [string, ...string[]], optionError))
        .transform((chosen) => values.filter((value) => chosen.includes(value)))
        .refine((chosen) => chosen.length <= 20, { error: 'must have at most 20 options' });
    },
    print: (value) => value as string[],
    read: (cell, split) => split(cell.toLowerCase()),
  },
  boolean: {
    ...none,
    filterable: true,
    sortable: true,
    schema: () => z.boolean(),
    print: String,
    read: (cell) => booleans.get(cell.toLowerCase()) ?? cell,
  },
  date: { ...none, ...asText, filterable: true, sortable: true, schema: () => day },
  url: { ...none, print: String, read: withScheme, schema: () => WebUrl },
  email: {
    ...none,
    ...asText,
    schema: () =>
      verbatim(1, 254).pipe(
        z
          .email({ error: 'must be an email address', abort: true })
          .refine((value) => asciiHost(mailDomain(value) ?? '') !== undefined, {
            error: 'must be an email address',
          }),
      ),
  },
  phone: {
    ...none,
    ...asText,
    schema: () =>
      line(1, 40).refine((value) => /^[+\d ().-]+$/.test(value) && /\d/.test(value), {
        error: 'must be a phone number of digits, spaces and +().-',
      }),
  },
  hours: {
    ...none,
    filterable: true,
    schema: () => hours,
    print: (value) => JSON.stringify(value),
    read: (cell) => {
      try {
        return JSON.parse(cell);
      } catch {
        return cell;
      }
    },
  },
};

export const hasOptions = (type: FieldType): boolean => type === 'select' || type === 'multi_select';

/** Why a definition is invalid, by its attributes. */
export const definitionIssues = (field: FieldRecord): FieldIssue[] => {
  const { type } = field;
  const rules = typeRules[type];
  const issues: FieldIssue[] = [];
  const mayNot = (name: keyof FieldRecord, isSet: boolean): void => {
    if (isSet) issues.push({ path: [name], message: `is not for the type ${type}` });
  };
  for (const name of ['filterable', 'sortable', 'searchable'] as const) mayNot(name, field[name] && !rules[name]);
  for (const name of ['unit', 'min', 'max'] as const) mayNot(name, field[name] !== null && type !== 'number');
  mayNot('options', field.options.length > 0 && !hasOptions(type));
  if (hasOptions(type) && field.options.length === 0) {
    issues.push({ path: ['options'], message: 'must have at least one entry' });
  }
  if (field.min !== null && field.max !== null && field.max < field.min) {
    issues.push({ path: ['max'], message: 'must not be below min' });
  }
  return issues;
};

// --- Values of a listing ---

/** The values of a listing by definition id, as stored: one text of JSON; null for none. */
type StoredValues = Readonly<Record<string, unknown>>;

const noValues: StoredValues = Object.freeze({});

/** Members are read with `Object.hasOwn`: ids are made by the service, but a stored text may have anything. */
const valuesIn = (stored: string | null): StoredValues =>
  stored === null ? noValues : (JSON.parse(stored) as StoredValues);

const valueOfId = (values: StoredValues, id: string): unknown => (Object.hasOwn(values, id) ? values[id] : undefined);

/** What is shown of a stored value: without options that were removed; undefined when nothing is left. */
const shownValue = (
  { type, options }: Pick<FieldRecord, 'type' | 'options'>,
  value: unknown,
): CustomValue | undefined => {
  if (value === undefined) return undefined;
  if (type === 'select') return options.some((option) => option.value === value) ? (value as string) : undefined;
  if (type !== 'multi_select') return value as CustomValue;
  const chosen = options.flatMap((option) => ((value as string[]).includes(option.value) ? option.value : []));
  return chosen.length > 0 ? chosen : undefined;
};

/** A listing with values. */
export interface WithValues {
  readonly field_values: string | null;
  readonly categories: readonly string[];
}

/** The shown value of a field of a listing, for every reader. */
export const shownValueOf = (field: CurrentField, listing: WithValues): CustomValue | undefined => {
  // Most listings lack the field; its id in quotes cannot be a part of another value.
  if (listing.field_values === null || !listing.field_values.includes(`"${field.id}":`)) return undefined;
  if (!appliesTo(field, listing.categories)) return undefined;
  return shownValue(field, valueOfId(valuesIn(listing.field_values), field.id));
};

/** The values of a listing by key that a reader may see. */
export const shownValues = (fields: Fields, listing: WithValues, reader: Reader): Record<string, CustomValue> => {
  const shown: Record<string, CustomValue> = {};
  if (listing.field_values === null) return shown;
  const values = valuesIn(listing.field_values);
  for (const field of fields.all) {
    if (!mayRead(reader, field) || !appliesTo(field, listing.categories)) continue;
    const value = shownValue(field, valueOfId(values, field.id));
    if (value !== undefined) shown[field.key] = value;
  }
  return shown;
};

/** The keys of required fields that a listing has no value for, of those that a reader may see. */
export const missingKeys = (fields: Fields, listing: WithValues, reader: Reader): string[] => {
  const required = fields.all.filter(
    (field) => field.required && mayRead(reader, field) && appliesTo(field, listing.categories),
  );
  if (required.length === 0) return [];
  return required.flatMap((field) => (shownValueOf(field, listing) === undefined ? field.key : []));
};

/** The fields whose values everyone may search. */
export const searchedFields = ({ all }: Fields): CurrentField[] =>
  all.filter((field) => field.searchable && mayRead('public', field));

/** The texts that searches find in fields of a listing: its texts, and the labels of its options. */
export const searchedTexts = (fields: readonly CurrentField[], listing: WithValues): string[] => {
  const values = valuesIn(listing.field_values);
  return fields.flatMap((field) => {
    const value = appliesTo(field, listing.categories) ? shownValue(field, valueOfId(values, field.id)) : undefined;
    if (value === undefined) return [];
    if (!hasOptions(field.type)) return value as string;
    const chosen = [value].flat();
    return field.options.flatMap((option) => (chosen.includes(option.value) ? option.label : []));
  });
};

/** The texts in the fields of a listing. */
export const fieldTexts = (fields: Fields, listing: WithValues): string[] =>
  fields.all.flatMap((field) => {
    const isText = field.type === 'text' || field.type === 'long_text';
    return isText ? (shownValueOf(field, listing) ?? []) : [];
  }) as string[];

/** The value of a field as texts to compare with others; of several options one text each. */
export const comparableValues = (fields: Fields, key: string, listing: WithValues): string[] => {
  const field = fields.get(key);
  const value = field && shownValueOf(field, listing);
  if (value === undefined || typeof value === 'object') return Array.isArray(value) ? value : [];
  return [String(value)];
};

/** How many of some listings would show less with another definition of a field, or without it. */
export const countDiminished = (
  before: CurrentField,
  after: CurrentField | undefined,
  listings: Iterable<WithValues>,
): number => {
  let count = 0;
  const isHidden = after === undefined || after.deleted_at !== null || ranks[after.access] > ranks[before.access];
  for (const listing of listings) {
    const shown = shownValueOf(before, listing);
    if (shown === undefined) continue;
    const left = isHidden ? undefined : shownValueOf(after, listing);
    const isLess = Array.isArray(shown) ? !Array.isArray(left) || left.length < shown.length : left === undefined;
    if (isLess) count += 1;
  }
  return count;
};

/** Who writes values: the owner of the listing, or staff. */
export type Writer = 'owner' | 'staff';

/** A change of some values of a listing. @returns all values as stored. @throws 400 on `fields.<key>`. */
export type ValueEdit = (listing: WithValues) => string | null;

/** Whether a given value removes the stored one: forms send blank texts and empty lists for no value. */
const isUnset = (type: FieldType, value: unknown): boolean =>
  value === null ||
  (type === 'multi_select'
    ? Array.isArray(value) && value.length === 0
    : typeof value === 'string' && trimmed(value) === '');

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const storedText = (values: StoredValues): string | null => {
  const entries = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
};

/** @throws 400 when they are too large. */
export const withinLimit = (stored: string | null): string | null => {
  if (stored === null || Buffer.byteLength(stored) <= FIELD_VALUES_BYTES_MAX) return stored;
  throw invalidFields([{ path: ['fields'], message: `must have at most ${FIELD_VALUES_BYTES_MAX} bytes as JSON` }]);
};

/**
 * What becomes of the value of a field: another one, null for none, or the reason against the given one; undefined when it
 * is not touched.
 */
const changedValue = (
  field: FieldRecord,
  given: unknown,
  shown: CustomValue | undefined,
  isRequired: boolean,
): { readonly value: CustomValue | null } | { readonly message: string } | undefined => {
  if (given === undefined ? shown === undefined : isUnset(field.type, given)) {
    if (isRequired) return { message: 'is required' };
    return shown === undefined ? undefined : { value: null };
  }
  if (given === undefined || sameJson(given, shown)) return undefined;
  const result = parsed(typeRules[field.type].schema(field), given);
  if (result.issues) return { message: result.issues[0]?.message ?? 'must be valid' };
  return sameJson(result.data, shown) ? undefined : { value: result.data };
};

/** Why a value is wrong; undefined for one that the field takes, or that removes its value. */
export const problemOfValue = (field: FieldRecord, value: unknown): string | undefined => {
  const change = changedValue(field, value, undefined, false);
  return change && 'message' in change ? change.message : undefined;
};

/**
 * Merges given values by key. Keys that are unknown, do not apply or are not for the writer to change are ignored, and so are
 * values that are shown as they are given: only a value that is touched is checked.
 * @param given null removes a value.
 * @param binds whether required fields bind: all of them in a submission, in an update those that it touches, or none.
 */
export const valueEdit =
  (
    fields: Fields,
    given: Readonly<Record<string, unknown>>,
    writer: Writer,
    binds: 'submission' | 'update' | 'nothing',
  ): ValueEdit =>
  (listing) => {
    const values: Record<string, unknown> = { ...valuesIn(listing.field_values) };
    const issues: FieldIssue[] = [];
    let isTouched = false;
    for (const field of fields.all) {
      if ((field.edit === 'staff' && writer === 'owner') || !appliesTo(field, listing.categories)) continue;
      const value = Object.hasOwn(given, field.key) ? given[field.key] : undefined;
      const shown = shownValue(field, valueOfId(values, field.id));
      const isBound = binds === 'submission' || (binds === 'update' && value !== undefined && shown !== undefined);
      const change = changedValue(field, value, shown, field.required && isBound);
      if (!change) continue;
      if ('message' in change) {
        issues.push({ path: ['fields', field.key], message: change.message });
        continue;
      }
      isTouched = true;
      if (change.value === null) delete values[field.id];
      else values[field.id] = change.value;
    }
    if (issues.length > 0) throw invalidFields(issues);
    return isTouched ? withinLimit(storedText(values)) : listing.field_values;
  };

// --- Recorded changes ---

/** The name of a field in recorded changes: by the id of its definition, since another field may have its key later. */
type FieldName = `fields.${string}`;

const PREFIX = 'fields.';

export const isFieldName = (name: string): name is FieldName => name.startsWith(PREFIX);

const nameOfId = (id: string): FieldName => `${PREFIX}${id}`;
const idOfName = (name: FieldName): string => name.slice(PREFIX.length);

/** The definition that a name with a key means; undefined for another name and for an unknown key. */
export const fieldNamed = (fields: Fields, name: string): CurrentField | undefined =>
  isFieldName(name) ? fields.get(idOfName(name)) : undefined;

/** The names of all values that some listings have. */
export const recordedNames = (...stored: readonly (string | null)[]): FieldName[] =>
  [...new Set(stored.flatMap((one) => Object.keys(valuesIn(one))))].sort().map(nameOfId);

/** A value as recorded, which is JSON; null for none. */
export const recordedValue = (stored: string | null, name: FieldName): string | null => {
  const value = valueOfId(valuesIn(stored), idOfName(name));
  return value === undefined ? null : JSON.stringify(value);
};

/** Stored values with some recorded ones in their place. */
export const withRecordedValues = (
  stored: string | null,
  recorded: Iterable<readonly [FieldName, string | null]>,
): string | null => {
  const values: Record<string, unknown> = { ...valuesIn(stored) };
  for (const [name, value] of recorded) {
    if (value === null) delete values[idOfName(name)];
    else values[idOfName(name)] = JSON.parse(value);
  }
  return storedText(values);
};

/** Stored values without those of some definitions. */
export const withoutValuesOf = (stored: string | null, ids: ReadonlySet<string>): string | null =>
  ids.size === 0
    ? stored
    : storedText(Object.fromEntries(Object.entries(valuesIn(stored)).filter(([id]) => !ids.has(id))));

/** The ids of the definitions that values are stored for. */
export const storedIds = (stored: string | null): string[] => Object.keys(valuesIn(stored));

/** A recorded name as a reader sees it, with the key; undefined when the reader may not see the field. */
const shownName = (fields: Fields, name: string, reader: Reader): string | undefined => {
  if (!isFieldName(name)) return name;
  const field = fields.withId(idOfName(name));
  return field && mayRead(reader, field) ? `${PREFIX}${field.key}` : undefined;
};

/** Recorded names as a reader sees them. */
export const shownNames = <Name extends string>(fields: Fields, names: readonly Name[], reader: Reader): Name[] =>
  names.flatMap((name) => (shownName(fields, name, reader) as Name | undefined) ?? []);

/** Names in a request as they are recorded; an unknown key stays as it is. */
export const namesToRecord = <Name extends string>(fields: Fields, names: readonly Name[]): Name[] =>
  names.map((name) => {
    const field = fieldNamed(fields, name);
    return (field ? nameOfId(field.id) : name) as Name;
  });

/** Recorded changes as a reader sees them. */
export const shownChanges = (fields: Fields, changes: readonly FieldChange[], reader: Reader): FieldChange[] =>
  changes.flatMap((change): FieldChange[] => {
    const { field: name } = change;
    if (!isFieldName(name)) return [change];
    const field = fields.withId(idOfName(name));
    if (!field || !mayRead(reader, field)) return [];
    const shown = (value: FieldChange['before']) =>
      value === null ? null : (shownValue(field, JSON.parse(String(value))) ?? null);
    return [{ field: `${PREFIX}${field.key}`, before: shown(change.before), after: shown(change.after) }];
  });
