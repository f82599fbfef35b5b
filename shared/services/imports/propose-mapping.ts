import type { ImportField, ImportMapping } from '#contract/projects.ts';

/**
 * Column names by field, the best first, in lower case and without everything but letters and digits: those of this service's
 * export, then those in exports of Brilliant Directories, Directorist, eDirectory, GeoDirectory, HivePress, Product Hunt
 * collections, WP All Export and spreadsheets of listings.
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
  owner_id: ['ownerid'],
  rejection_reason: ['rejectionreason'],
  created_at: ['createdat', 'created', 'dateadded', 'postdate', 'signupdate', 'createddate', 'entered', 'datecreated'],
  updated_at: ['updatedat'],
  published_at: ['publishedat', 'publishdate', 'publisheddate'],
  deleted_at: ['deletedat'],
  paid_at: ['paidat'],
};

const bare = (column: string): string => column.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Ids of other products are not those of this one. */
const OWN_ID = /^prj_/;
/** Of other products, states and times in other notations fail the rows that have them. */
const valuesOf: Partial<Record<ImportField, RegExp>> = {
  id: OWN_ID,
  status: /^(?:live|pending|rejected)$/i,
  plan: /^(?:standard|premium)$/i,
  pricing_type: /^(?:free|freemium|paid)$/i,
  slug: /^[a-z\d]+(?:-[a-z\d]+)*$/,
  created_at: /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/,
  published_at: /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/,
  logo_url: /^https?:\/\/[^\s,|;]+$/,
  video_url: /^https?:\/\/[^\s,|;]+$/,
};

const listFields: readonly ImportField[] = ['categories', 'tags', 'screenshots'];
/** The separators of lists, of which the first is the default. */
const LIST_SEPARATORS = ['|', ';', ','] as const;

/**
 * Proposes a mapping by the names of columns and, where a field takes few values, by the cells.
 * @param rows the first records.
 */
export const proposeMapping = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Pick<ImportMapping, 'columns' | 'list_separator'> => {
  const names = header.map(bare);
  const isUsable = (index: number, field: ImportField): boolean => {
    const [column = ''] = header.slice(index, index + 1);
    if (column === '' || header.indexOf(column) !== header.lastIndexOf(column)) return false;
    const pattern = valuesOf[field];
    const cells = rows.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
    return !pattern || cells.every((cell) => pattern.test(cell));
  };
  const fieldOf = new Map<number, ImportField>();
  for (const [field, known = []] of Object.entries(namesOf) as [ImportField, readonly string[]][]) {
    const index = known
      .map((name) => names.findIndex((one, at) => one === name && !fieldOf.has(at) && isUsable(at, field)))
      .find((at) => at >= 0);
    if (index !== undefined) fieldOf.set(index, field);
  }
  const lists = [...fieldOf].flatMap(([index, field]) => (listFields.includes(field) ? [index] : []));
  const cells = rows.flatMap((row) => lists.map((index) => row[index] ?? ''));
  const separator = LIST_SEPARATORS.find((one) => cells.some((cell) => cell.includes(one))) ?? LIST_SEPARATORS[0];
  return {
    columns: Object.fromEntries([...fieldOf].map(([index, field]) => [header[index] ?? '', field])),
    list_separator: separator,
  };
};
