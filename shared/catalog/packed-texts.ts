import type { ProjectRecord } from '#domain/projects/project.ts';

/**
 * What of a record is only shown, never asked for, packed into one text: a text of its own for each field would cost more than
 * most fields have letters. The name comes first, because sorting by name asks for it alone.
 */
const names = [
  'name',
  'slug',
  'plan',
  'url',
  'description',
  'long_description',
  'logo_url',
  'screenshots',
  'video_url',
  'earlier_slugs',
  'address_city',
  'address_country',
  'updated_at',
  'rejection_reason',
  'paid_at',
] as const satisfies readonly (keyof ProjectRecord)[];

/** The fields of a record that are packed. */
export type PackedFields = Pick<ProjectRecord, (typeof names)[number]>;

/** Stands between fields. */
const FIELD = '\x1f';
/** Stands between the members of a list. */
const MEMBER = '\x1e';
/** Stands for null. */
const NONE = '\x1d';
/** Begins what had to be written in another way, because it contains one of these or is otherwise unusual. */
const JSON_MARK = '\x1c';

const NO_MEMBERS: readonly string[] = Object.freeze([]);

/** How many marks a text contains. */
const marksIn = (text: string): number => {
  let marks = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x1c && unit <= 0x1f) marks += 1;
  }
  return marks;
};

/** The fields written plainly; undefined when they would not be read again as they are. */
const plainly = (values: readonly unknown[]): string | undefined => {
  const texts: string[] = [];
  let marks = values.length - 1;
  for (const value of values) {
    if (typeof value === 'string') {
      texts.push(value);
    } else if (value === null) {
      texts.push(NONE);
      marks += 1;
    } else {
      // An empty text in a list could not be told from an empty list.
      if (!Array.isArray(value) || value.some((member) => typeof member !== 'string' || member === ''))
        return undefined;
      texts.push(value.join(MEMBER));
      marks += Math.max(0, value.length - 1);
    }
  }
  const packed = texts.join(FIELD);
  return marksIn(packed) === marks && packed.isWellFormed() ? packed : undefined;
};

/** Packs the fields; `unpackTexts` gives back exactly the same. Half of a surrogate pair is kept too. */
export const packTexts = (record: PackedFields): string => {
  const values = [
    record.name,
    record.slug,
    record.plan,
    record.url,
    record.description,
    record.long_description,
    record.logo_url,
    record.screenshots,
    record.video_url,
    record.earlier_slugs,
    record.address_city,
    record.address_country,
    record.updated_at,
    record.rejection_reason,
    record.paid_at,
  ];
  return plainly(values) ?? JSON_MARK + JSON.stringify(values);
};

const orNull = (text: string | undefined): string | null => (text === undefined || text === NONE ? null : text);
const members = (text: string | undefined): readonly string[] => (text ? text.split(MEMBER) : NO_MEMBERS);

/** The fields that were packed. */
export const unpackTexts = (packed: string): PackedFields => {
  if (packed.startsWith(JSON_MARK)) {
    const values = JSON.parse(packed.slice(1)) as readonly unknown[];
    return Object.fromEntries(names.map((name, place) => [name, values[place]])) as unknown as PackedFields;
  }
  const texts = packed.split(FIELD);
  return {
    name: texts[0] ?? '',
    slug: texts[1] ?? '',
    plan: texts[2] as PackedFields['plan'],
    url: texts[3] ?? '',
    description: texts[4] ?? '',
    long_description: orNull(texts[5]),
    logo_url: orNull(texts[6]),
    screenshots: members(texts[7]),
    video_url: orNull(texts[8]),
    earlier_slugs: members(texts[9]),
    address_city: orNull(texts[10]),
    address_country: orNull(texts[11]),
    updated_at: texts[12] ?? '',
    rejection_reason: orNull(texts[13]),
    paid_at: orNull(texts[14]),
  };
};

/** The name alone. */
export const packedName = (packed: string): string =>
  packed.startsWith(JSON_MARK) ? unpackTexts(packed).name : packed.slice(0, packed.indexOf(FIELD));
