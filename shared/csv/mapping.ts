import * as z from 'zod';
import { checked } from '#contract/fields.ts';
import {
  type ColumnTarget,
  type ImportField,
  ImportMapping,
  importFields,
  type MappedField,
  revisionFields,
} from '#contract/projects.ts';
import type { CurrentField } from '#model/field.ts';
import { invalidField, invalidFields } from '#shared/errors.ts';
import { isTime } from './notations.ts';

/** A valid mapping. */
interface ParsedMapping {
  readonly mapping: ImportMapping;
  /** The path of its columns in the request, for error details. */
  readonly columnsPath: readonly string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The short form has columns only, each with the name of a field. `columns` may then be the name of a column. */
const isShortForm = (given: Record<string, unknown>): boolean =>
  !isObject(given.columns) &&
  Object.keys(given).length > 0 &&
  Object.values(given).every((one) => typeof one === 'string');

// Wrapped, so that the paths of errors begin with `mapping`.
const ShortForm = z.object({ mapping: ImportMapping.shape.columns });
const LongForm = z.object({ mapping: ImportMapping });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(['mapping'], 'is not valid JSON');
  }
};

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The name of a column as headers, mappings and defaults are compared by it: in NFC, trimmed, without invisible characters. */
export const columnName = (given: string): string => given.normalize('NFC').replace(INVISIBLE, '').trim();

const named = (columns: ImportMapping['columns']): ImportMapping['columns'] =>
  Object.fromEntries(Object.entries(columns).map(([column, field]) => [columnName(column), field]));

/** No schema keeps a member of this name. */
const PROTO = '__proto__';

/** Columns with a blank before a name that the schema would drop; `columnName` takes it off. */
const keepable = (columns: unknown): unknown =>
  isObject(columns)
    ? Object.fromEntries(
        Object.entries(columns).map(([column, field]) => [column === PROTO ? ` ${column}` : column, field]),
      )
    : columns;

/** Reads a mapping in its long or short form. @throws 400 under `details.mapping`. */
export const parseMapping = (text: string): ParsedMapping => readMapping(parseJson(text));

/** Reads a mapping like `parseMapping`, from a value. @throws 400 under `details.mapping`. */
export const readMapping = (given: unknown): ParsedMapping => {
  if (!isObject(given)) throw invalidField(['mapping'], 'must be a JSON object');
  if (isShortForm(given)) {
    const { mapping: columns } = checked(ShortForm, { mapping: keepable(given) });
    return { mapping: { ...ImportMapping.parse({ columns: {} }), columns: named(columns) }, columnsPath: ['mapping'] };
  }
  const { mapping } = checked(LongForm, { mapping: { ...given, columns: keepable(given.columns) } });
  const columnsPath = ['mapping', 'columns'];
  if (Object.keys(mapping.columns).length === 0) throw invalidField(columnsPath, 'must map at least one column');
  return { mapping: { ...mapping, columns: named(mapping.columns) }, columnsPath };
};

/** The fields that a new project needs. */
export const requiredFields = ['name', 'url', 'description'] as const;

const isBlank = (value: ImportMapping['defaults'][MappedField] | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/**
 * Rows that update existing projects may lack these fields; all others would fail.
 * @throws 400 under `details.mapping.columns`, naming the fields.
 */
export const mustFillRequired = ({ columns, defaults, on_conflict }: ImportMapping): void => {
  if (on_conflict === 'update') return;
  const mapped = new Set<string>(Object.values(columns));
  const missing = requiredFields.filter((field) => !mapped.has(field) && isBlank(defaults[field]));
  if (missing.length === 0) return;
  throw invalidField(['mapping', 'columns'], `${missing.join(', ')}: no column and no default`);
};

/** A column of the file that is mapped to a field. */
export interface MappedColumn {
  readonly column: string;
  readonly field: MappedField;
  /** The index of its cells in a record. */
  readonly index: number;
  /** Whether its cells hold a latitude and a longitude, of which this is one. */
  readonly isPlace: boolean;
}

/** The virtual field for a latitude and a longitude in one cell. */
const COORDINATES = 'coordinates' satisfies ColumnTarget;

const fieldsOf = (target: ColumnTarget): readonly MappedField[] =>
  target === COORDINATES ? ['latitude', 'longitude'] : [target];

/**
 * Finds the mapped columns in the header, one with coordinates for both fields; other columns are ignored.
 * @throws 400 naming every mapped column that is missing or repeated, and every column whose field has another column.
 */
export const mappedColumns = ({ mapping, columnsPath }: ParsedMapping, header: readonly string[]): MappedColumn[] => {
  const wrong = new Map<string, string>();
  const columnOf = new Map<MappedField, string>();
  const all = Object.entries(mapping.columns).flatMap(([column, target]) =>
    fieldsOf(target).map((field) => ({
      column,
      field,
      index: header.indexOf(column),
      isPlace: target === COORDINATES,
    })),
  );
  for (const { column, field, index } of all) {
    const other = columnOf.get(field);
    if (index < 0) wrong.set(column, 'is not a column of the file');
    else if (header.includes(column, index + 1)) wrong.set(column, 'is repeated in the header of the file');
    else if (other !== undefined) wrong.set(column, `is mapped to ${field}, as is "${other}"`);
    else columnOf.set(field, column);
  }
  if (wrong.size > 0)
    throw invalidFields([...wrong].map(([column, message]) => ({ path: [...columnsPath, column], message })));
  return all;
};

/**
 * Column names by field, the best first, in lower case and without everything but letters and digits: those of this service's
 * export, then those in exports of Brilliant Directories, Directorist, eDirectory, GeoDirectory, HivePress, Product Hunt
 * collections, WP All Export and spreadsheets of listings. All other fields have their own name only.
 */
const namesOf: Partial<Record<ImportField, readonly string[]>> = {
  id: ['id'],
  slug: ['slug', 'permalink', 'filename', 'posturl', 'postname', 'friendlyurl', 'listingslug'],
  name: [
    'name',
    'title',
    'listingtitle',
    'posttitle',
    'company',
    'companyname',
    'business',
    'businessname',
    'listingname',
    'projectname',
    'productname',
    'displayname',
    'organization',
  ],
  url: [
    'url',
    'website',
    'websiteurl',
    'websiteaddress',
    'homepage',
    'link',
    'listingwebsite',
    'listingurl',
    'webaddress',
    'listingwebaddress',
    'siteurl',
    'web',
    'hpwebsite',
    'geodirwebsite',
    'sourceurl',
    'domain',
  ],
  description: [
    'description',
    'shortdescription',
    'summary',
    'tagline',
    'excerpt',
    'postexcerpt',
    'summarydescription',
    'listingsummarydescription',
    'searchdescription',
    'quotedescription',
    'listingtagline',
    'about',
    'postcontent',
    'content',
    'details',
  ],
  long_description: [
    'longdescription',
    'fulldescription',
    'detaileddescription',
    'detaildescription',
    'listingdetaildescription',
    'postcontent',
    'content',
    'body',
    'listingcontent',
    'aboutme',
    'details',
    'notes',
  ],
  categories: [
    'categories',
    'category',
    'postcategory',
    'listingcategory',
    'listingcategories',
    'gdplacecategory',
    'hplistingcategory',
    'atbizdircategory',
    'topcategory',
    'professionname',
    'type',
    'brewerytype',
  ],
  tags: ['tags', 'tag', 'keywords', 'posttags', 'gdplacetags', 'listingtags', 'atbizdirtags', 'seokeywords', 'labels'],
  logo_url: [
    'logourl',
    'logo',
    'icon',
    'thumbnail',
    'thumbnailurl',
    'featuredimage',
    'image',
    'imageurl',
    'mainimage',
    'profilephoto',
    'coverimage',
  ],
  screenshots: ['screenshots', 'screenshot', 'images', 'gallery', 'postimages', 'listingimages', 'photos', 'imageurls'],
  video_url: ['videourl', 'video', 'youtube', 'listingvideo', 'videolink', 'geodirvideo'],
  pricing_type: ['pricingtype', 'pricing', 'pricingmodel'],
  plan: ['plan'],
  status: ['status'],
  latitude: ['latitude', 'lat', 'postlatitude', 'geolat', 'manuallat', 'hplatitude'],
  longitude: ['longitude', 'lng', 'lon', 'long', 'postlongitude', 'geolong', 'geolng', 'manuallng', 'hplongitude'],
  address_city: ['addresscity', 'city', 'town', 'postcity', 'locality', 'location4', 'locationcity'],
  address_country: [
    'addresscountry',
    'country',
    'countryname',
    'postcountry',
    'countryln',
    'location1',
    'countrycode',
    'locationcountry',
  ],
  publish_at: ['publishat'],
  owner_id: ['ownerid'],
  rejection_reason: ['rejectionreason'],
  created_at: ['createdat', 'created', 'dateadded', 'postdate', 'signupdate', 'createddate', 'entered', 'datecreated'],
  updated_at: ['updatedat'],
  published_at: ['publishedat', 'publishdate', 'publisheddate'],
  deleted_at: ['deletedat'],
  paid_at: ['paidat'],
};

const bare = (column: string): string => column.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const matches =
  (pattern: RegExp) =>
  (cell: string): boolean =>
    pattern.test(cell);

/** Ids and states of other products, and times in other notations, fail the rows that have them. */
const valuesOf: Partial<Record<MappedField, (cell: string) => boolean>> = {
  id: matches(/^prj_/),
  status: matches(/^(?:live|pending|rejected)$/i),
  plan: matches(/^(?:standard|premium)$/i),
  pricing_type: matches(/^(?:free|freemium|paid)$/i),
  slug: matches(/^[a-z\d]+(?:-[a-z\d]+)*$/),
  created_at: isTime,
  published_at: isTime,
  logo_url: matches(/^https?:\/\/[^\s,|;]+$/),
  video_url: matches(/^https?:\/\/[^\s,|;]+$/),
};

const ownLists: readonly ImportField[] = ['categories', 'tags', 'screenshots'];
/** The separators of lists, of which the first is the default. */
const LIST_SEPARATORS = ['|', ';', ','] as const;

/** Own names, which labels of further fields do not take from a column. */
const ownNames: ReadonlySet<string> = new Set(importFields.map(bare));

/**
 * The fields with their names, the most certain first: further fields by key, what every listing needs, further fields by
 * label, and the others.
 */
const namedFields = (further: readonly CurrentField[]): readonly (readonly [MappedField, readonly string[]])[] => {
  const withNames = (field: ImportField) => [field, namesOf[field] ?? [bare(field)]] as const;
  const own = [...new Set([...(Object.keys(namesOf) as ImportField[]), ...revisionFields, ...importFields])];
  const isRequired = (field: ImportField): boolean => requiredFields.some((one) => one === field);
  const labels = further.flatMap(({ key, label }) => {
    const name = bare(label);
    return name === '' || ownNames.has(name) ? [] : [[`fields.${key}`, [name]] as const];
  });
  return [
    ...further.map(({ key }) => [`fields.${key}`, [bare(`fields.${key}`), bare(key)]] as const),
    ...own.filter(isRequired).map(withNames),
    ...labels,
    ...own.filter((field) => !isRequired(field)).map(withNames),
  ];
};

/**
 * Proposes a mapping by the names of columns and, where a field takes few values, by the cells.
 * @param rows the first records.
 * @param further the definitions of further fields.
 */
export const proposeMapping = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  further: readonly CurrentField[],
): Pick<ImportMapping, 'columns' | 'list_separator'> => {
  const names = header.map(bare);
  const isUsable = (index: number, field: MappedField): boolean => {
    const [column = ''] = header.slice(index, index + 1);
    if (column === '' || header.indexOf(column) !== header.lastIndexOf(column)) return false;
    const isValue = valuesOf[field];
    const cells = rows.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
    return !isValue || cells.every(isValue);
  };
  const fieldOf = new Map<number, MappedField>();
  const proposed = new Set<MappedField>();
  for (const [field, fieldNames] of namedFields(further)) {
    if (proposed.has(field)) continue;
    const index = fieldNames
      .map((name) => names.findIndex((one, at) => one === name && !fieldOf.has(at) && isUsable(at, field)))
      .find((at) => at >= 0);
    if (index === undefined) continue;
    fieldOf.set(index, field);
    proposed.add(field);
  }
  const listFields = new Set<MappedField>(ownLists);
  for (const { key, type } of further) if (type === 'multi_select') listFields.add(`fields.${key}`);
  const lists = [...fieldOf].flatMap(([index, field]) => (listFields.has(field) ? [index] : []));
  const cells = rows.flatMap((row) => lists.map((index) => row[index] ?? ''));
  const separator = LIST_SEPARATORS.find((one) => cells.some((cell) => cell.includes(one))) ?? LIST_SEPARATORS[0];
  return {
    columns: Object.fromEntries([...fieldOf].map(([index, field]) => [header[index] ?? '', field])),
    list_separator: separator,
  };
};
