import {
  type ColumnTarget,
  type ImportField,
  type ImportMapping,
  importFields,
  type MappedField,
  ProjectContent,
  revisionFields,
} from '#contract/projects.ts';
import { withScheme } from '#contract/web-addresses.ts';
import type { CurrentField } from '#model/field.ts';
import { requiredFields } from './mapping.ts';
import { degreesOf, isTime, placeOf } from './notations.ts';

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
    'description',
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

/** The names that a column may mean: what stands in parentheses is often a remark, such as the length of a text. */
const bareNames = (column: string): readonly string[] => [bare(column), bare(column.replace(/\([^()]*\)/g, ''))];

const matches =
  (pattern: RegExp) =>
  (cell: string): boolean =>
    pattern.test(cell);

/** What fails the rows that have it: ids and states of other products, times in other notations, texts that are too long. */
const valuesOf: Partial<Record<MappedField, (cell: string) => boolean>> = {
  id: matches(/^prj_/),
  status: matches(/^(?:live|pending|rejected)$/i),
  plan: matches(/^(?:standard|premium)$/i),
  pricing_type: matches(/^(?:free|freemium|paid)$/i),
  slug: matches(/^[a-z\d]+(?:-[a-z\d]+)*$/),
  created_at: isTime,
  published_at: isTime,
  description: (cell) => ProjectContent.shape.description.safeParse(cell).success,
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

type Cells = readonly string[];

const axes = { latitude: 90, longitude: 180 } as const;

const areDegrees =
  (axis: keyof typeof axes) =>
  (cells: Cells): boolean =>
    cells.every((cell) => Math.abs(degreesOf(cell, axis)) <= axes[axis]);

/** Places within hundred metres. Prices and ratings have fewer decimals. */
const PRECISE = /\d[.,]\d{3}/;

/** Without a name that tells them, places are known by their precision. */
const arePrecise =
  (axis: keyof typeof axes) =>
  (cells: Cells): boolean =>
    areDegrees(axis)(cells) && cells.some((cell) => PRECISE.test(cell));

const arePlaces = (cells: Cells): boolean =>
  cells.some((cell) => PRECISE.test(cell)) &&
  cells.every((cell) => {
    const { latitude, longitude } = placeOf(cell) ?? { latitude: Number.NaN, longitude: Number.NaN };
    return Math.abs(latitude) <= axes.latitude && Math.abs(longitude) <= axes.longitude;
  });

const isPage = (cell: string): boolean =>
  /^(?:https?:\/\/|www\.)[^\s,|;]+$/i.test(cell) && !/\.(?:avif|gif|jpe?g|mp4|pdf|png|svg|webp)$/i.test(cell);

const arePages = (cells: Cells): boolean => cells.every(isPage);

/** Whether addresses are those of several sites. Pages of one host belong to a social network, for example. */
const areSites = (cells: Cells): boolean =>
  arePages(cells) && (cells.length === 1 || new Set(cells.map((cell) => URL.parse(withScheme(cell))?.host)).size > 1);

/** Last words of longer names, misspelled ones too, for fields whose cells tell whether the column is meant. */
const endings: readonly (readonly [MappedField, RegExp, (cells: Cells) => boolean])[] = [
  ['url', /^(?:website|url|homepage|site)$/, arePages],
  ['latitude', /^(?:lat|la\p{L}*tude)$/u, areDegrees('latitude')],
  ['longitude', /^(?:lng|lon|long|lo\p{L}*tude)$/u, areDegrees('longitude')],
];

const lastWord = (column: string): string | undefined =>
  column
    .toLowerCase()
    .match(/\p{L}+/gu)
    ?.at(-1);

/** The columns of a file with the fields that they seem to hold. */
class Proposal {
  readonly #header: readonly string[];
  readonly #names: readonly (readonly string[])[];
  /** Of each column, the cells of the first records that have text. */
  readonly #cells: readonly (readonly string[])[];
  readonly #targets = new Map<number, ColumnTarget>();

  constructor(header: readonly string[], rows: readonly (readonly string[])[]) {
    this.#header = header;
    this.#names = header.map(bareNames);
    this.#cells = header.map((_, at) => rows.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== ''));
  }

  /** With the column that each is proposed for. */
  get targets(): ReadonlyMap<number, ColumnTarget> {
    return this.#targets;
  }

  has(target: ColumnTarget): boolean {
    return [...this.#targets.values()].includes(target);
  }

  propose(target: ColumnTarget, at: number | undefined): void {
    if (at !== undefined && !this.has(target)) this.#targets.set(at, target);
  }

  /** Gives the column of a field to another one. */
  replace(target: ColumnTarget, other: ColumnTarget): void {
    for (const [at, one] of this.#targets) if (one === target) this.#targets.set(at, other);
  }

  /** The first column of one of some names, preferably one with text, whose cells the field takes. */
  named(field: MappedField, names: readonly string[]): number | undefined {
    const isValue = valuesOf[field];
    const all = names.flatMap((name) => this.#free().filter((at) => this.#names[at]?.includes(name)));
    const usable = isValue ? all.filter((at) => this.#cells[at]?.every(isValue)) : all;
    return usable.find((at) => (this.#cells[at]?.length ?? 0) > 0) ?? usable[0];
  }

  /** The first column without a field whose cells with text, at least one, are such values. @param among some columns. */
  holding(areValues: (cells: Cells) => boolean, among?: readonly number[]): number | undefined {
    const free = this.#free();
    return (among ?? free).find((at) => {
      const cells = this.#cells[at] ?? [];
      return free.includes(at) && cells.length > 0 && areValues(cells);
    });
  }

  /** Like `holding`, of the columns whose name ends with such a word. */
  ending(word: RegExp, areValues: (cells: Cells) => boolean): number | undefined {
    const among = [...this.#header.keys()].filter((at) => word.test(lastWord(this.#header[at] ?? '') ?? ''));
    return this.holding(areValues, among);
  }

  /** The columns without a field that a mapping can name. */
  #free(): readonly number[] {
    return [...this.#header.keys()].filter((at) => {
      const column = this.#header[at] ?? '';
      const isUnique = this.#header.indexOf(column) === this.#header.lastIndexOf(column);
      return column !== '' && isUnique && !this.#targets.has(at);
    });
  }
}

/** Proposes fields for columns whose name says nothing, by their cells. */
const proposeByCells = (proposal: Proposal): void => {
  for (const [field, word, areValues] of endings) {
    if (!proposal.has(field)) proposal.propose(field, proposal.ending(word, areValues));
  }
  if (!proposal.has('url')) proposal.propose('url', proposal.holding(areSites));
  for (const [at, target] of [...proposal.targets]) {
    // The other axis stands beside the one that is known.
    if (target === 'latitude')
      proposal.propose('longitude', proposal.holding(arePrecise('longitude'), [at + 1, at - 1]));
    if (target === 'longitude')
      proposal.propose('latitude', proposal.holding(arePrecise('latitude'), [at - 1, at + 1]));
  }
  if (!proposal.has('latitude') && !proposal.has('longitude')) {
    proposal.propose('coordinates', proposal.holding(arePlaces));
  }
};

/**
 * Proposes a mapping by the names of columns and by the cells.
 * @param rows the first records.
 * @param further the definitions of further fields.
 */
export const proposeMapping = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  further: readonly CurrentField[],
): Pick<ImportMapping, 'columns' | 'list_separator'> => {
  const proposal = new Proposal(header, rows);
  for (const [field, names] of namedFields(further)) {
    if (!proposal.has(field)) proposal.propose(field, proposal.named(field, names));
  }
  if (!proposal.has('description')) proposal.replace('long_description', 'description');
  proposeByCells(proposal);
  const listFields = new Set<ColumnTarget>(ownLists);
  for (const { key, type } of further) if (type === 'multi_select') listFields.add(`fields.${key}`);
  const lists = [...proposal.targets].flatMap(([at, target]) => (listFields.has(target) ? [at] : []));
  const cells = rows.flatMap((row) => lists.map((at) => row[at] ?? ''));
  const separator = LIST_SEPARATORS.find((one) => cells.some((cell) => cell.includes(one))) ?? LIST_SEPARATORS[0];
  return {
    columns: Object.fromEntries([...proposal.targets].map(([at, target]) => [header[at] ?? '', target])),
    list_separator: separator,
  };
};
