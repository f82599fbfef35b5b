import { type ProjectRecord, unsetFields } from '#model/project.ts';

/**
 * The fields of a record that no query reads, packed into one string: the overhead of a string per field would exceed
 * the length of most fields. The name comes first, because sorting by name reads it alone.
 * Stored snapshots use this order: add new fields at the end.
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
  'pending_revision',
  'pending_writes',
  'rule_id',
  'rule_name',
  'rule_action',
  'field_values',
  'publish_at',
  'approved_at',
  'claimed_at',
] as const satisfies readonly (keyof ProjectRecord)[];

const FIELD_VALUES = names.indexOf('field_values');

type PackedFields = Pick<ProjectRecord, (typeof names)[number]>;

/** Separates fields. */
const FIELD = '\x1f';
/** Separates the members of a list. */
const MEMBER = '\x1e';
/** Stands for null. */
const NONE = '\x1d';
/** Prefix of records packed as JSON, because a value contains one of these characters or an unexpected type. */
const JSON_MARK = '\x1c';

const NO_MEMBERS: readonly string[] = Object.freeze([]);

/** The number of reserved characters in a text. */
const marksIn = (text: string): number => {
  let marks = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x1c && unit <= 0x1f) marks += 1;
  }
  return marks;
};

/** The separated form; undefined when it would not be read back unchanged. */
const plainly = (record: PackedFields): string | undefined => {
  const texts: string[] = [];
  let marks = names.length - 1;
  for (const name of names) {
    const value: unknown = record[name];
    if (typeof value === 'string') {
      texts.push(value);
    } else if (value === null) {
      texts.push(NONE);
      marks += 1;
    } else {
      // An empty member would be indistinguishable from an empty list.
      if (!Array.isArray(value) || value.some((member) => typeof member !== 'string' || member === ''))
        return undefined;
      texts.push(value.join(MEMBER));
      marks += Math.max(0, value.length - 1);
    }
  }
  const packed = texts.join(FIELD);
  return marksIn(packed) === marks && packed.isWellFormed() ? packed : undefined;
};

/** Packs the fields; `unpackTexts` restores them exactly, lone surrogates included. */
export const packTexts = (record: PackedFields): string =>
  plainly(record) ?? JSON_MARK + JSON.stringify(names.map((name) => record[name]));

const orNull = (text: string | undefined): string | null => (text === undefined || text === NONE ? null : text);
const members = (text: string | undefined): readonly string[] => (text ? text.split(MEMBER) : NO_MEMBERS);

export const unpackTexts = (packed: string): PackedFields => {
  if (packed.startsWith(JSON_MARK)) {
    const values = JSON.parse(packed.slice(1)) as readonly unknown[];
    // A snapshot written before a field was added lacks its value.
    const stored = (name: string, index: number) =>
      index < values.length ? values[index] : unsetFields[name as keyof typeof unsetFields];
    return Object.fromEntries(names.map((name, index) => [name, stored(name, index)])) as unknown as PackedFields;
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
    // Records with a pending edit are packed as JSON.
    pending_revision: null,
    pending_writes: null,
    rule_id: orNull(texts[17]),
    rule_name: orNull(texts[18]),
    rule_action: orNull(texts[19]) as PackedFields['rule_action'],
    field_values: orNull(texts[20]),
    publish_at: orNull(texts[21]),
    approved_at: orNull(texts[22]),
    claimed_at: orNull(texts[23]),
  };
};

/** Whether the listing has a pending edit. */
export const hasPendingEdit = (packed: string): boolean =>
  packed.startsWith(JSON_MARK) && unpackTexts(packed).pending_revision !== null;

/** The fields that text searches read, without unpacking the other ones. */
export const packedSearchTexts = (
  packed: string,
): Pick<PackedFields, 'name' | 'url' | 'description' | 'long_description'> => {
  if (packed.startsWith(JSON_MARK)) return unpackTexts(packed);
  const [name = '', , , url = '', description = '', longDescription] = packed.split(FIELD, 6);
  return { name, url, description, long_description: orNull(longDescription) };
};

/** The name, without unpacking the other fields. */
export const packedName = (packed: string): string =>
  packed.startsWith(JSON_MARK) ? unpackTexts(packed).name : packed.slice(0, packed.indexOf(FIELD));

/** The values of fields, without unpacking the other ones. */
export const packedFieldValues = (packed: string): string | null => {
  if (packed.startsWith(JSON_MARK)) return unpackTexts(packed).field_values;
  return orNull(packed.split(FIELD, FIELD_VALUES + 1)[FIELD_VALUES]);
};

/** The slug and the time of the last change, without unpacking the other fields. */
export const packedPage = (packed: string): { readonly slug: string; readonly updatedAt: string } => {
  if (packed.startsWith(JSON_MARK)) {
    const { slug, updated_at: updatedAt } = unpackTexts(packed);
    return { slug, updatedAt };
  }
  const texts = packed.split(FIELD, names.indexOf('updated_at') + 1);
  return { slug: texts[1] ?? '', updatedAt: texts.at(-1) ?? '' };
};
