import * as z from 'zod';
import { trimmed } from './characters.ts';
import { CustomValue, FacetField, FILTERABLE_MAX, FieldFilters, FieldOrder, Hours } from './custom-fields.ts';
import {
  blankAsAbsent,
  blankAsNull,
  commaSeparated,
  data,
  decimal,
  deleted,
  flagParameter,
  line,
  optionalLine,
  optionalList,
  optionalText,
  PageMeta,
  page,
  paging,
  REFERENCE_MAX,
  Reference,
  reference,
  Slug,
  Timestamp,
  TimestampInput,
  text,
  wellFormed,
  wholeNumber,
} from './fields.ts';
import { BoundingBox, Latitude, Longitude, Point, Radius } from './places.ts';
import { adminOnly, defineRoute, forAdmins, forStaff } from './route.ts';
import { distinctTags } from './tags.ts';
import { WebUrl } from './web-addresses.ts';

/** A started checkout: the payment page, and the id to read its status with. */
export const CheckoutStarted = z
  .object({
    checkoutUrl: z.string().describe('The payment page; redirect the buyer there.'),
    checkout_id: z.string().describe('`chk_` and a ULID.'),
  })
  .meta({ id: 'CheckoutStarted' });
export type CheckoutStarted = z.infer<typeof CheckoutStarted>;

export const Plan = z.enum(['standard', 'premium']);
export type Plan = z.infer<typeof Plan>;
export const PricingType = z.enum(['free', 'freemium', 'paid']);
export type PricingType = z.infer<typeof PricingType>;
export const Status = z.enum(['live', 'pending', 'rejected']);
export type Status = z.infer<typeof Status>;

/** Sort keys in their canonical names. */
export const sortKeys = [
  'newest',
  'oldest',
  'upvotes',
  'rating',
  'views',
  'name',
  'trending',
  'weighted_rating',
  'relevance',
] as const;
export type SortKey = (typeof sortKeys)[number];

/** Aliases of sort keys with their canonical key. */
export const sortAliases = {
  popular: 'upvotes',
  top_rated: 'rating',
  name_asc: 'name',
  name_desc: 'name_desc',
} as const satisfies Record<string, SortKey | 'name_desc'>;

/** How a search decides which listings match. */
export const matchKinds = ['substring', 'words', 'fuzzy'] as const;
export type MatchKind = (typeof matchKinds)[number];

/** A sort key with aliases resolved; `name_desc` has no canonical key of its own. */
export type SortOrder = SortKey | 'name_desc';

/** The content of a project. Updates are validated against the same fields, as far as they change them. */
const ProjectFields = {
  name: line(1, 100).describe('The name of the listing.'),
  slug: Slug.describe('The readable identifier, unique among all projects.'),
  url: WebUrl.describe("The listed site's address."),
  description: text(1, 500).describe('A short description; plain text.'),
  long_description: optionalText(10_000).describe('The full description; plain text or Markdown, stored as written.'),
  categories: z
    .array(reference(100))
    .transform((slugs) => [...new Set(slugs)])
    .meta({ description: 'Slugs of at most five existing categories.', maxItems: 5 }),
  tags: z
    .array(line(1, 40))
    .max(10, { error: 'must have at most 10 entries' })
    .transform(distinctTags)
    .describe('Free keywords. Tags that differ in case or width only are one.'),
  logo_url: blankAsNull(WebUrl.nullable()).describe('The URL of an image.'),
  screenshots: z.array(WebUrl).max(10, { error: 'must have at most 10 entries' }).describe('URLs of images.'),
  video_url: blankAsNull(WebUrl.nullable()).describe('The URL of a video.'),
  pricing_type: PricingType.describe('The pricing of the listed product.'),
  latitude: Latitude.nullable().describe('Degrees north, WGS 84. Requires `longitude`.'),
  longitude: Longitude.nullable().describe('Degrees east, WGS 84. Requires `latitude`.'),
  address_city: optionalLine(100).describe('The city of the listing.'),
  address_country: optionalLine(100).describe('The country of the listing.'),
  publish_at: blankAsNull(TimestampInput.nullable()).describe(
    'When the listing becomes public if it is approved before; up to a year ahead. Ignored once it was published.',
  ),
} as const;

const categoriesWithin = (min: number) =>
  ProjectFields.categories.pipe(
    z
      .array(z.string())
      .min(min, { error: 'must name at least one category' })
      .max(5, { error: 'must name at most 5 categories' }),
  );

const coordinatesTogether = {
  when: (value: { latitude?: unknown; longitude?: unknown }) => (value.latitude == null) === (value.longitude == null),
  error: 'must be given together with latitude',
};

const optionalFields = {
  slug: blankAsAbsent(Slug).describe('Generated from the name when empty.'),
  long_description: ProjectFields.long_description.optional(),
  tags: optionalList(ProjectFields.tags),
  logo_url: ProjectFields.logo_url.optional(),
  screenshots: optionalList(ProjectFields.screenshots),
  video_url: ProjectFields.video_url.optional(),
  latitude: ProjectFields.latitude.optional(),
  longitude: ProjectFields.longitude.optional(),
  address_city: ProjectFields.address_city.optional(),
  address_country: ProjectFields.address_country.optional(),
  fields: z
    .record(wellFormed(z.string()), z.unknown())
    .optional()
    .describe(
      'Values of further fields by key, as their types say; null removes one, and others stay. Keys that are unknown, do not apply or are not for the caller to change are ignored.',
    ),
  publish_at: ProjectFields.publish_at.optional(),
} as const;

/** A submission, without the id of a schema: for documents in which it would become a reference. */
export const SubmissionFields = z
  .object({
    plan: Plan.describe('A `premium` project is created after payment.'),
    name: ProjectFields.name,
    url: ProjectFields.url,
    description: ProjectFields.description,
    categories: categoriesWithin(1).describe('Slugs of one to five existing categories.'),
    pricing_type: ProjectFields.pricing_type,
    ...optionalFields,
    draft_id: blankAsNull(Reference.nullable())
      .optional()
      .describe("The caller's draft that this submission completes; it is deleted when the project is created."),
  })
  .refine(coordinatesTogether.when, { error: coordinatesTogether.error, path: ['longitude'] });

/** The body of a submission. Status, counters and owner in it are ignored. */
export const Submission = SubmissionFields.meta({ id: 'Submission' });
export type Submission = z.infer<typeof Submission>;

const updatedFields = {
  truncated: z
    .unknown()
    .refine((value) => value !== true, { error: 'must not be true: read the project for its whole values' })
    .optional()
    .describe('Refused when it is true: what a list has left out would be removed.'),
  name: ProjectFields.name.optional(),
  url: ProjectFields.url.optional(),
  description: ProjectFields.description.optional(),
  pricing_type: ProjectFields.pricing_type.optional(),
  categories: optionalList(ProjectFields.categories),
  ...optionalFields,
} as const;

/** The body of an owner's update: any part of a submission. `plan`, counters and owner in it are ignored. */
export const ProjectUpdate = z
  .object({
    ...updatedFields,
    status: z.unknown().optional().describe('Administrators only; for others 403, unless it is the present one.'),
  })
  .meta({ id: 'ProjectUpdate' });
export type ProjectUpdate = z.infer<typeof ProjectUpdate>;

/** The body of an administrator's edit: the content and the fields reserved for administrators. */
export const ProjectEdit = z
  .object({
    ...updatedFields,
    plan: Plan.optional(),
    status: Status.optional(),
    deleted_at: blankAsNull(TimestampInput.nullable())
      .optional()
      .describe('A time soft-deletes the project, null restores it.'),
    rejection_reason: optionalText(1000).optional(),
    owner_id: Reference.optional().describe('Transfers the project to another user.'),
  })
  .meta({ id: 'ProjectEdit' });
export type ProjectEdit = z.infer<typeof ProjectEdit>;

const contentWith = (categoriesMin: number) =>
  z.object({ ...ProjectFields, categories: categoriesWithin(categoriesMin) });

const onlyWithBothCoordinates = <S extends z.ZodType<{ latitude?: unknown; longitude?: unknown }>>(schema: S) =>
  schema.refine(coordinatesTogether.when, { error: coordinatesTogether.error, path: ['longitude'] });

/** Validates an imported record. It may have no category, because deleting a category can leave a project without one. */
export const ProjectContent = onlyWithBothCoordinates(contentWith(0));
export type ProjectContent = z.infer<typeof ProjectContent>;

/** Validates the fields that an administrator's edit or an import changes. */
export const ContentChange = onlyWithBothCoordinates(contentWith(0).partial());

/** Validates the fields that an owner's update changes, by the rules of a submission. */
export const OwnContentChange = onlyWithBothCoordinates(contentWith(1).partial());

/** The fields whose changes are recorded as revisions: the content, and what only the service and administrators set. */
export const revisionFields = [
  ...(Object.keys(ProjectFields) as (keyof typeof ProjectFields)[]),
  'plan',
  'owner_id',
  'status',
  'deleted_at',
] as const;
/** A recorded field, or `fields.<key>`. */
export const RevisionField = z
  .union([z.templateLiteral(['fields.', z.string()]), z.enum(revisionFields)])
  .meta({ id: 'RevisionField' });
export type RevisionField = z.infer<typeof RevisionField>;

const FieldValue = z.union([...CustomValue.options, z.null()]);

export const FieldChange = z
  .object({
    field: RevisionField,
    before: FieldValue.describe('Null for a field without a value; an empty list for lists.'),
    after: FieldValue,
  })
  .meta({ id: 'FieldChange' });
export type FieldChange = z.infer<typeof FieldChange>;

/** The most characters of a value in an item of a list; of a list, of all its entries together. */
export const ITEM_VALUE_MAX = 2000;

/** A change in an item of a list. */
export const ItemChange = FieldChange.extend({
  truncated: z
    .literal(true)
    .optional()
    .describe(
      `A value is cut at ${ITEM_VALUE_MAX} characters, or at fewer where a list would be too large; null where a part would say something else.`,
    ),
}).meta({ id: 'ItemChange' });
export type ItemChange = z.infer<typeof ItemChange>;

/** An edit of a live project that waits for approval. */
export const PendingRevision = z
  .object({
    id: z.string().describe('`rev_` and a ULID.'),
    at: Timestamp.describe('The time of the first edit.'),
    changes: z.array(FieldChange).describe('`before` is the value that was published when the field was edited.'),
  })
  .meta({ id: 'PendingRevision' });
export type PendingRevision = z.infer<typeof PendingRevision>;

export const RuleAction = z.enum(['hold', 'reject', 'approve']).meta({ id: 'RuleAction' });
export type RuleAction = z.infer<typeof RuleAction>;

/** The rule that was applied to a submission, as it was then. */
export const AppliedRule = z
  .object({
    id: z.string().describe('`rul_` and a ULID.'),
    name: z.string(),
    action: RuleAction.describe('`hold` also when a paid submission would have been rejected, or the rule failed.'),
  })
  .meta({ id: 'AppliedRule' });
export type AppliedRule = z.infer<typeof AppliedRule>;

export const SimilarityReason = z.enum(['same_url', 'same_host', 'similar_name', 'similar_text']);
export type SimilarityReason = z.infer<typeof SimilarityReason>;

/** The most duplicates that a project or its dossier names. */
export const DUPLICATES_MAX = 10;

export const Project = z
  .object({
    id: z.string().describe('`prj_` and a ULID.'),
    slug: z.string().describe('The readable identifier; earlier slugs stay valid.'),
    plan: Plan,
    name: z.string(),
    url: z.string(),
    description: z.string(),
    long_description: z.string().nullable(),
    categories: z.array(z.string()).describe('Category slugs.'),
    spheres: z.array(z.string()).describe('Spheres of the categories.'),
    tags: z.array(z.string()),
    logo_url: z.string().nullable(),
    screenshots: z.array(z.string()),
    video_url: z.string().nullable(),
    pricing_type: PricingType,
    status: Status,
    owner_id: z.string().describe('The user who submitted the project, or to whom it was transferred.'),
    upvote_count: z.int().min(0),
    average_rating: z.number().min(0).max(5).describe('Rounded to two decimals; 0 without ratings.'),
    ratings_count: z.int().min(0),
    weighted_rating: z
      .number()
      .min(0)
      .max(5)
      .describe('`(15 + sum of ratings) / (5 + ratings)`, rounded to two decimals.'),
    comments_count: z.int().min(0),
    views_count: z.int().min(0),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    address_city: z.string().nullable(),
    address_country: z.string().nullable(),
    fields: z
      .record(z.string(), CustomValue)
      .optional()
      .describe('The values of further fields by key, as far as the caller may read them. See `GET /api/fields`.'),
    created_at: Timestamp,
    updated_at: Timestamp.describe('The last change of an editable field.'),
    published_at: Timestamp.nullable().describe('The time of the first publication.'),
    deleted_at: Timestamp.nullable(),
    claimed_at: Timestamp.nullable()
      .optional()
      .describe(
        'When a user who controls its site became the owner; null if none has. Absent while the feature `claims` is off.',
      ),
    rejection_reason: z.string().nullable().optional().describe('Owner and administrators only.'),
    paid_at: Timestamp.nullable().optional().describe('Owner and administrators only.'),
    publish_at: Timestamp.nullable().optional().describe('Owner and administrators only: when it is to become public.'),
    approved_at: Timestamp.nullable()
      .optional()
      .describe(
        'Owner and administrators only: the approval of a pending project that becomes public at `publish_at`.',
      ),
    pending_revision: PendingRevision.nullable()
      .optional()
      .describe('Owner and administrators only: the edit that waits for approval, if any.'),
    fields_missing: z
      .array(z.string())
      .optional()
      .describe('Owner and staff only: the keys of required fields without a value.'),
    possible_duplicates: z
      .array(z.string())
      .optional()
      .describe(`Administrators only: ids of other projects with the same canonical URL, at most ${DUPLICATES_MAX}.`),
    rule: AppliedRule.nullable()
      .optional()
      .describe('Administrators only: the rule that was applied to the last submission, if any.'),
    queue_position: z
      .int()
      .min(1)
      .optional()
      .describe("In the caller's own submissions: the position in the moderation queue."),
    truncated: z
      .literal(true)
      .optional()
      .describe(
        'In lists: long values are cut or left out, because the list would be larger than a response. Read the project for all of them before it is changed.',
      ),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

/** The caller's own vote and rating of a project. */
export const ViewerState = z
  .object({
    upvoted: z.boolean(),
    rating: z.int().min(1).max(5).nullable().describe("The caller's rating, if any."),
  })
  .meta({ id: 'ViewerState' });
export type ViewerState = z.infer<typeof ViewerState>;

/** What a single read says about its caller. */
export const Viewer = ViewerState.extend({
  bookmarked: z.boolean().optional().describe('Absent while the feature `bookmarks` is off.'),
}).meta({ id: 'Viewer' });
export type Viewer = z.infer<typeof Viewer>;

export const facetNames = ['category', 'sphere', 'pricing', 'tag'] as const;
export const adminFacetNames = [...facetNames, 'status'] as const;
export type FacetName = (typeof adminFacetNames)[number];

const FacetCounts = z.array(z.object({ value: z.string(), count: z.int().min(0) }));

/** The smallest and the greatest value of a field; null when no listing has one. */
const FieldRange = z.union([
  z.object({ min: z.number().nullable(), max: z.number().nullable() }),
  z.object({ min: z.iso.date(), max: z.iso.date() }),
]);

/** UTF-16 offsets into a text, end excluded. */
export const MatchRange = z.tuple([z.int().min(0), z.int().min(1)]).meta({ id: 'MatchRange' });

const SearchMeta = z
  .object({
    match: z.enum(matchKinds).describe('`substring` also for a `q` without words.'),
    words: z.array(z.string()).describe('The words that count, folded; with `substring` all of `q`.'),
    relaxed: z
      .boolean()
      .describe('No listing has every word under these filters, so those with at least half of them are listed.'),
    did_you_mean: z
      .string()
      .nullable()
      .describe('`q` with corrected words, when nothing has every word of `q` and something has every word of this.'),
    highlights: z
      .record(
        z.string(),
        z.array(
          z.object({
            field: z.enum(['name', 'description', 'tags']),
            index: z.int().min(0).nullable().describe('The index of the tag, else null.'),
            ranges: z
              .array(MatchRange)
              .describe('Start and end of each match, as UTF-16 offsets, end excluded; ascending, at most 20.'),
          }),
        ),
      )
      .optional()
      .describe('The matches in the texts of each listing, by its id; only with `highlight=true`.'),
  })
  .meta({ id: 'SearchMeta' });

const ListMeta = PageMeta.extend({
  nextCursor: z
    .string()
    .nullable()
    .describe('Send it as `cursor` for the next page; stable while projects are added. Null on the last page.'),
  facets: z
    .partialRecord(z.union([FacetField, z.enum(adminFacetNames)]), FacetCounts)
    .optional()
    .describe('Exact counts per value under the other filters, most frequent first.'),
  ranges: z
    .record(z.string(), FieldRange)
    .optional()
    .describe('By `fields.<key>`, the values of fields of numbers and dates under the other filters.'),
  search: SearchMeta.optional().describe(
    'How `q` was searched; only with `q` and one of `match`, `highlight` and `sort=relevance`.',
  ),
}).meta({ id: 'ProjectListMeta' });

const ProjectList = z.object({ data: z.array(Project), meta: ListMeta }).meta({ id: 'ProjectList' });

/** The criteria of the order of relevance, the decisive first. */
export const relevanceCriteria = [
  'words',
  'name_equals',
  'typos',
  'words_in_name',
  'whole_words_in_name',
  'words_in_description',
  'whole_words_in_description',
  'words_in_labels',
  'whole_words_in_labels',
  'words_in_fields',
  'whole_words_in_fields',
  'words_in_long_description',
  'whole_words_in_long_description',
  'pairs',
  'upvotes',
] as const;

const Score = z.number().describe('Unrounded; the greatest is first.');

/** Why a listing is where it is, by the order of the list. */
const RankingExplanation = z
  .union([
    z.object({
      upvotes: z.int().min(0),
      comments: z.int().min(0),
      ratings: z.int().min(0),
      weighted_sum: z.number().min(0),
      hours: z.number().describe('From 1970 to the publication.'),
      score: Score,
    }),
    z.object({ ratings_sum: z.int().min(0), ratings: z.int().min(0), score: Score }),
    z.object({
      criteria: z
        .array(z.object({ name: z.enum(relevanceCriteria), value: z.int().min(0) }))
        .describe(
          'In the order in which they decide; then the greater id. More is better, of typos fewer. `labels` are tags, categories and the host.',
        ),
    }),
  ])
  .meta({ id: 'RankingExplanation' });
export type RankingExplanation = z.infer<typeof RankingExplanation>;

const StaffProjectList = ProjectList.extend({
  meta: ListMeta.extend({
    ranking: z
      .record(z.string(), RankingExplanation)
      .optional()
      .describe('By id; with `explain=true` and the order `trending`, `weighted_rating` or `relevance` only.'),
  }).meta({ id: 'StaffProjectListMeta' }),
}).meta({ id: 'StaffProjectList' });

/** A text to search for; undefined when it is blank. */
export const SearchText = z
  .string()
  .overwrite(trimmed)
  .refine((value) => [...value].length <= 100, { error: 'must have at most 100 characters' })
  .transform((value) => (value === '' ? undefined : value))
  .optional()
  .meta({ maxLength: 100 });

/** What of the query of lists belongs to other features. */
const optionalQuery = [
  { feature: 'search', parameters: ['match', 'highlight'], values: { sort: ['relevance'] } },
  { feature: 'fields', parameters: ['filter'], values: {} },
] as const;

/** The same of the filters alone. */
export const optionalFilters = [
  { feature: 'search', parameters: ['match'], values: {} },
  { feature: 'fields', parameters: ['filter'], values: {} },
] as const;

/** The filters of lists and of the map. */
const filters = {
  category: commaSeparated(50).optional().describe('Category slugs, any of them.'),
  sphere: commaSeparated(50).optional().describe('Sphere names, any of them. A comma inside a name is written `\\,`.'),
  tag: commaSeparated(50)
    .optional()
    .describe('Tags, any of them; case and width are ignored. A comma inside a tag is written `\\,`.'),
  pricing: z
    .enum(['all', ...PricingType.options])
    .default('all')
    .describe('Only projects of this pricing.'),
  q: SearchText.describe(
    'Substring of name, description, host of `url` or a tag, or the words of `match`; case and accents are ignored. ' +
      'An address with a scheme, `www.` or a path also finds the listings with it, whatever `match` says.',
  ),
  match: z
    .enum(matchKinds)
    .optional()
    .describe(
      'Which listings match `q`: those that contain it (the default), those with all its words, or with all its words despite typos. ' +
        'Words also match names of categories; the last word also the beginning of a word.',
    ),
  bbox: BoundingBox.optional().describe(
    'Only projects inside `west,south,east,north`, edges included. West greater than east crosses the date line. ' +
      'Longitudes beyond ±180 are wrapped; a width of 360 or more is the whole world; 180 and -180 are one meridian.',
  ),
  near: Point.optional().describe('Only projects within `radius_km` of `lat,lon`.'),
  radius_km: Radius.default(25).describe('Used with `near`.'),
  filter: FieldFilters.optional().describe(
    'By filterable field, as `filter[<key>]`. Options, true or false: `a,b`, any of them. Text: the whole value. Several options: `a,b`, or `all:a,b` for every one. ' +
      'Numbers and dates: `10..50`, `10..`, `..50` or `10`. Hours: `open`, or `open@` and an ISO 8601 time. `*`: has a value.',
  ),
} as const;

/** The parameters of lists. */
const listParameters = {
  ...filters,
  sort: z
    .union([FieldOrder, z.enum([...sortKeys, ...(Object.keys(sortAliases) as (keyof typeof sortAliases)[])])])
    .default('newest')
    .transform(
      (key): SortOrder | FieldOrder => sortAliases[key as keyof typeof sortAliases] ?? (key as SortKey | FieldOrder),
    )
    .describe(
      'Ties are broken by id, so pages never repeat or skip. `relevance` without `q` is `newest`. `fields.<key>` or `-fields.<key>` is the order of a sortable field; listings without a value come last in both.',
    ),
  highlight: flagParameter.describe('Whether `meta.search` has the ranges of the matches.'),
  facets: commaSeparated(facetNames.length + FILTERABLE_MAX)
    .pipe(z.array(z.union([FacetField, z.enum(facetNames)])))
    .optional()
    .describe(
      'The counts to return in `meta.facets`, the most frequent values first; of tags the 100 most frequent. `fields.<key>` counts the options of a filterable field, or true and false; of numbers and dates it is in `meta.ranges`.',
    ),
  cursor: z.string().min(1).max(2000).optional().describe('From `meta.nextCursor`; replaces `page`.'),
} as const;

export const list = defineRoute('projects.list', {
  method: 'GET',
  path: '/api/projects',
  summary: 'List projects',
  description:
    'Live projects, filtered, searched, sorted and paged. `status` is honoured for administrators and ignored for other callers.',
  auth: 'optional',
  tier: 'general',
  query: z.object({
    status: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('`live`, `pending` or `rejected`; administrators only.'),
    ...paging(40),
    ...listParameters,
  }),
  optionalQuery,
  responses: { 200: ProjectList },
  permissions: ['catalog'],
});

export const browse = defineRoute('projects.browse', {
  method: 'GET',
  path: '/api/admin/projects',
  summary: 'List projects of every status',
  description:
    'Like the public list, for every status. Only `all` and `deleted` include deleted projects. `q` searches the whole URL too and ' +
    'lists matches in the name or URL before all others, both in the requested order.',
  ...forStaff('projects:read'),
  query: z.object({
    status: z
      .enum([...Status.options, 'deleted', 'all'])
      .default('live')
      .describe('Only projects of this status; `deleted` for deleted ones of every status.'),
    ...paging(40),
    ...listParameters,
    q: filters.q.describe(
      'Substring of name, URL, description or a tag, whose matches in the name or URL come first except by relevance; or the words of `match`. Case and accents are ignored.',
    ),
    scheduled: flagParameter.describe('Only projects that are approved and become public later, or only the others.'),
    owner: z
      .string()
      .overwrite((value) => value.trim())
      .max(REFERENCE_MAX, { error: `must have at most ${REFERENCE_MAX} characters` })
      .transform((value) => (value === '' ? undefined : value))
      .optional()
      .describe('Only projects of the user with this id.'),
    facets: commaSeparated(adminFacetNames.length + FILTERABLE_MAX)
      .pipe(z.array(z.union([FacetField, z.enum(adminFacetNames)])))
      .optional()
      .describe(
        'The counts to return in `meta.facets`; `status` counts without the filter on the status. Fields as in the public list.',
      ),
    explain: flagParameter.describe('Whether `meta.ranking` explains the place of each listing in the order.'),
  }),
  optionalQuery,
  responses: { 200: StaffProjectList },
  permissions: ['catalog'],
});

export const mine = defineRoute('projects.mine', {
  method: 'GET',
  path: '/api/me/submissions',
  summary: "List the caller's own submissions",
  description: 'Newest first, every status except deleted.',
  auth: 'user',
  tier: 'general',
  query: z.object(paging(40)),
  responses: { 200: page(Project) },
  permissions: ['catalog'],
});

const ProjectForViewer = Project.extend({ viewer: Viewer.optional().describe('With a credential only.') });

export const read = defineRoute('projects.read', {
  method: 'GET',
  path: '/api/projects/{project}',
  summary: 'Read a project',
  description:
    'By id, slug or earlier slug. A project that is not live is 404 except for its owner and administrators.',
  auth: 'optional',
  tier: 'general',
  responses: { 200: data(ProjectForViewer) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:collection'],
  // The response may contain the caller's vote and the fields for the owner.
  cacheSeconds: 0,
});

export const related = defineRoute('projects.related', {
  method: 'GET',
  path: '/api/projects/{project}/related',
  summary: 'List related projects',
  description:
    'Other live projects that share a tag or a category with a project, which is found by id, slug or earlier slug: most shared tags first, then most shared categories, most upvotes, greatest id. A project that is not live is 404 except for its owner and administrators.',
  auth: 'optional',
  tier: 'general',
  feature: 'search',
  query: z.object({ limit: wholeNumber(1, 20).default(6).describe('The most projects.') }),
  responses: { 200: data(z.array(Project)) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'catalog'],
  cacheSeconds: 0,
});

/** The greatest zoom of maps. */
export const MAP_ZOOM_MAX = 20;

/** The most projects of the map feed; it holds the newest ones. */
export const MAP_ITEMS_MAX = 5000;
/** The most characters of a `logo_url` on maps. */
export const MAP_LOGO_MAX = 512;

/** A project in the map feed, with exactly the members of the specification. */
export const MapItem = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    logo_url: z.string().nullable().describe(`Null also when it has more than ${MAP_LOGO_MAX} characters.`),
    categories: z.array(z.string()),
    pricing: z.string().nullable(),
    plan: z.string().nullable(),
    average_rating: z.number(),
    ratings_count: z.int(),
    latitude: z.number(),
    longitude: z.number(),
    address_city: z.string().describe('Empty when unknown.'),
    address_country: z.string().describe('Empty when unknown.'),
  })
  .meta({ id: 'MapItem' });
export type MapItem = z.infer<typeof MapItem>;

const Position = z.tuple([z.number(), z.number()]).describe('Longitude and latitude.').meta({ id: 'GeoPosition' });
const PointGeometry = z.object({ type: z.literal('Point'), coordinates: Position });

const ClusterFeature = z
  .object({
    type: z.literal('Feature'),
    id: z.string().describe('`z/x/y` of the square, counted from the north-west.'),
    bbox: z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .describe('The extent of the listings: west, south, east, north.')
      .meta({ id: 'GeoExtent' }),
    geometry: PointGeometry.describe('The mean of the coordinates.'),
    properties: z.object({
      cluster: z.literal(true),
      count: z.int().min(2),
      expansion_zoom: z
        .int()
        .min(1)
        .max(MAP_ZOOM_MAX)
        .nullable()
        .describe('The first zoom at which the listings are in several squares; null if there is none.'),
    }),
  })
  .meta({ id: 'ClusterFeature' });

const ProjectFeature = z
  .object({
    type: z.literal('Feature'),
    id: z.string().describe('The id of the project.'),
    geometry: PointGeometry,
    properties: MapItem.omit({ id: true }).extend({ cluster: z.literal(false) }),
  })
  .meta({ id: 'ProjectFeature' });

/** The most features of a map with clusters. */
export const MAP_FEATURES_MAX = 2000;

export const MapClusters = z
  .object({
    type: z.literal('FeatureCollection'),
    features: z.array(z.union([ClusterFeature, ProjectFeature])).describe('From the north, then from the west.'),
    meta: z.object({
      total: z.int().min(0).describe('The number of listings, as in the list with the same box and filters.'),
      zoom: z
        .int()
        .min(0)
        .max(MAP_ZOOM_MAX)
        .describe(
          `That of the squares: lower than requested when there would be more than ${MAP_FEATURES_MAX} features.`,
        ),
    }),
  })
  .meta({ id: 'MapClusters' });
export type MapClusters = z.infer<typeof MapClusters>;

/** The `max-age` of clusters, in seconds. */
export const CLUSTERS_CACHE_SECONDS = 60;

export const map = defineRoute('projects.map', {
  method: 'GET',
  path: '/api/projects/map',
  summary: 'Read the map feed, or the listings of a box in clusters',
  description:
    'Without `bbox` and `zoom`: every live project with coordinates, newest first, at most 5000 and as many as one response holds, in `items`. With both: the live projects in the box as a GeoJSON FeatureCollection, ' +
    'in which two or more within a square of 64 pixels of the Web Mercator map are one feature. `max-age` is then 60 seconds.',
  auth: 'public',
  tier: 'general',
  feature: 'map',
  query: z
    .object({
      ...filters,
      zoom: wholeNumber(0, MAP_ZOOM_MAX).optional().describe('The zoom of the map, with tiles of 256 pixels.'),
    })
    .refine(({ bbox, zoom }) => bbox !== undefined || zoom === undefined, {
      error: 'must be given together with zoom',
      path: ['bbox'],
    })
    .refine(({ bbox, zoom }) => bbox === undefined || zoom !== undefined, {
      error: 'must be given together with bbox',
      path: ['zoom'],
    }),
  optionalQuery: optionalFilters,
  responses: { 200: z.union([z.object({ items: z.array(MapItem) }), MapClusters]) },
  permissions: ['catalog'],
  cacheSeconds: 120,
});

const Submitted = z
  .object({ id: z.string(), slug: z.string(), status: Status })
  .describe('The created project, pending moderation unless a rule has decided.');

export const REPORTS_COUNTED_MAX = 1000;

/** The number of a user's projects in each state. */
export const CountsByStatus = z.object({
  live: z.int().min(0),
  pending: z.int().min(0),
  rejected: z.int().min(0),
  deleted: z.int().min(0).describe('Soft-deleted ones, which the other counts do not contain.'),
});

/** What moderators see of a project before they decide about it. */
export const ProjectDossier = z
  .object({
    project: Project.describe(
      'As in the list of all projects, whatever its status. The `ETag` of the response is good for `If-Match` on it.',
    ),
    duplicates: z
      .array(
        z.object({
          project: Project.pick({ id: true, slug: true, name: true, status: true, url: true }),
          score: z.number().min(0).max(1).describe('From 0.5 on, the projects are probably the same.'),
          reasons: z.array(SimilarityReason),
        }),
      )
      .describe(`The ${DUPLICATES_MAX} most similar projects of every status, without deleted ones.`),
    submitter: z.object({
      id: z.string(),
      name: z.string().nullable(),
      joined_at: Timestamp.nullable().describe('Null once erased.'),
      email_verified: z.boolean(),
      is_banned: z.boolean(),
      counts: CountsByStatus.describe("The submitter's projects."),
      submissions_last_day: z
        .int()
        .min(0)
        .describe('Projects created in the 24 hours before this one, and this one; deleted ones are included.'),
    }),
    link: z
      .object({
        state: z
          .enum(['alive', 'failing', 'dead'])
          .describe('`failing`: missing, but not on enough days to be called dead.'),
        checked_at: Timestamp,
        status: z.int().nullable().describe('The status of the last response; null without one.'),
        final_url: z.string().nullable().describe('Where redirects led; null without a response.'),
      })
      .nullable()
      .describe(
        'The result of the daily check of the URL; null before the first one. Nothing is fetched for a dossier.',
      ),
    signals: z
      .array(
        z.object({
          name: z.string(),
          weight: z.number().min(-1).max(1).describe('Above 0 it speaks against the project, below for it.'),
          explanation: z.string(),
        }),
      )
      .describe('Facts that moderators look for, the heaviest first.'),
    rule: AppliedRule.nullable().describe('The rule that was applied to the last submission, if any.'),
    reports_open: z.int().min(0).describe(`Counted up to ${REPORTS_COUNTED_MAX}.`),
  })
  .meta({ id: 'ProjectDossier' });
export type ProjectDossier = z.infer<typeof ProjectDossier>;

export const dossier = defineRoute('projects.dossier', {
  method: 'GET',
  path: '/api/admin/projects/{project}/dossier',
  summary: 'Read what is known about a project before deciding about it',
  description:
    'The project itself, similar projects, the submitter, the last check of the link, signals, the applied rule and open reports. Reads stored data only; its cost does not depend on the size of the directory.',
  ...forStaff('projects:read'),
  responses: { 200: data(ProjectDossier) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog'],
});

export const submit = defineRoute('projects.submit', {
  method: 'POST',
  path: '/api/projects',
  summary: 'Submit a project',
  description:
    'A `standard` submission is created as `pending`, unless an active rule approves or rejects it. A `premium` submission returns a checkout URL and is created after payment; 409 `IN_PROGRESS` while another payment of the caller for the same address is under way.',
  auth: 'user',
  scopes: ['projects:write'],
  tier: 'submission',
  submits: true,
  body: Submission,
  idempotent: true,
  responses: { 201: data(Submitted), 200: data(CheckoutStarted) },
  failures: ['SLUG_TAKEN', 'DUPLICATE_URL', 'IN_PROGRESS', 'PAYMENTS_UNAVAILABLE'],
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog', 'stripe'],
  // A rule that is applied writes an entry of the audit log.
  writes: ['projects', 'slugs', 'drafts', 'checkouts', 'events', 'audit'],
});

export const update = defineRoute('projects.update', {
  method: 'PUT',
  path: '/api/projects/{project}',
  summary: 'Update a project',
  description:
    'Owner or administrator. Partial: a field that is left alone is not validated again. The previous slug stays valid. With `limits.live_edits` other than `immediate`, an edit of a live project by its owner waits in `pending_revision` until an administrator approves it.',
  auth: 'user',
  audited: true,
  tier: 'general',
  body: ProjectUpdate,
  ifMatch: true,
  responses: { 200: data(ProjectForViewer) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  permissions: ['table:get', 'table:query', 'table:collection'],
  writes: ['projects', 'slugs', 'events'],
});

export const remove = defineRoute('projects.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}',
  summary: 'Delete a project',
  description: 'Owner or administrator. Soft delete: an administrator can restore the project until it is purged.',
  auth: 'user',
  audited: true,
  tier: 'general',
  responses: { 200: data(z.object({ id: z.string(), deleted_at: Timestamp })) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get'],
  writes: ['projects', 'slugs', 'events'],
});

export const resubmit = defineRoute('projects.resubmit', {
  method: 'POST',
  path: '/api/projects/{project}/resubmit',
  summary: 'Resubmit a rejected project',
  description: 'By its owner. The project waits for moderation again, unless an active rule decides.',
  auth: 'user',
  audited: true,
  tier: 'general',
  submits: true,
  responses: { 200: data(Project) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog'],
  writes: ['projects', 'events'],
});

const decision = {
  ...forStaff('moderation'),
  method: 'PUT',
  ifMatch: true,
  responses: { 200: data(Project) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:collection'],
  writes: ['projects', 'events'],
} as const;

export const approve = defineRoute('projects.approve', {
  ...decision,
  path: '/api/admin/projects/{project}/approve',
  summary: 'Approve a pending project',
  description:
    'The project goes live, `projectApproved` fires, and the submitter is mailed. Until its `publish_at`, if that lies ahead, it stays pending with `approved_at`, and `projectScheduled` fires. With `If-Match` the project that was read is approved, or none.',
});

export const reject = defineRoute('projects.reject', {
  ...decision,
  path: '/api/admin/projects/{project}/reject',
  summary: 'Reject a pending project',
  description:
    'The submitter is mailed with the reason. With `If-Match` the project that was read is rejected, or none.',
  body: z
    .object({ reason: optionalText(1000).optional().describe('Shown to the submitter.') })
    .optional()
    .meta({ id: 'Rejection' }),
});

export const edit = defineRoute('projects.edit', {
  method: 'PUT',
  path: '/api/admin/projects/{project}',
  summary: 'Edit any project',
  description:
    'Bypasses ownership. `status` can be set to any value; from `pending` it has the event and the mail of approving or rejecting. `deleted_at` soft-deletes, null restores.',
  ...forStaff('projects:write'),
  body: ProjectEdit,
  ifMatch: true,
  responses: { 200: data(Project) },
  failures: ['NOT_FOUND', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  permissions: ['table:get', 'table:query', 'table:collection'],
  writes: ['projects', 'slugs', 'events'],
});

export const purge = defineRoute('projects.purge', {
  ...adminOnly,
  method: 'DELETE',
  path: '/api/admin/projects/{project}',
  summary: 'Delete a project permanently',
  description:
    'Irrecoverable. Votes, ratings, comments and slugs are deleted too, in the background if there are many.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
  writes: ['projects', 'slugs', 'events'],
});

export const BULK_MAX = 100;

const ids = z
  .array(Reference)
  .min(1, { error: 'must name at least one project' })
  .max(BULK_MAX, { error: `must name at most ${BULK_MAX} projects` })
  .transform((all) => [...new Set(all)])
  .describe('Ids or slugs.');

export const BulkAction = z
  .discriminatedUnion('action', [
    z.object({ ids, action: z.literal('approve') }),
    z.object({ ids, action: z.literal('reject'), reason: optionalText(1000).optional() }),
    z.object({ ids, action: z.literal('delete') }),
    z.object({ ids, action: z.literal('restore') }),
    z.object({ ids, action: z.literal('set_categories'), categories: categoriesWithin(1) }),
    z.object({ ids, action: z.literal('set_fields'), fields: optionalFields.fields.unwrap() }),
  ])
  .meta({ id: 'BulkAction' });
export type BulkAction = z.infer<typeof BulkAction>;

export const exportCsv = defineRoute('projects.exportCsv', {
  method: 'GET',
  path: '/api/admin/projects/export',
  summary: 'Export all projects as CSV',
  description:
    'Streamed: a header, then every project including deleted ones; lists joined by `|`. Columns `fields.<key>` follow the others, in the order of the definitions. The import accepts the file.',
  ...forAdmins('projects:read'),
  query: z.object({
    bom: flagParameter.describe(
      '`true`: begin with a byte order mark, by which spreadsheets know that the file is UTF-8.',
    ),
  }),
  responses: {
    200: { stream: true, contentType: 'text/csv; charset=utf-8', description: 'One line per project.' },
  },
  permissions: ['catalog'],
  reservedConcurrency: 5,
  timeoutSeconds: 300,
});

/** The fields that a CSV column can be mapped to. */
export const importFields = [
  'id',
  'slug',
  'name',
  'url',
  'description',
  'long_description',
  'categories',
  'tags',
  'logo_url',
  'screenshots',
  'video_url',
  'pricing_type',
  'plan',
  'status',
  'latitude',
  'longitude',
  'address_city',
  'address_country',
  'publish_at',
  'owner_id',
  'upvote_count',
  'average_rating',
  'ratings_count',
  'comments_count',
  'views_count',
  'rejection_reason',
  'created_at',
  'updated_at',
  'published_at',
  'deleted_at',
  'paid_at',
] as const;
export type ImportField = (typeof importFields)[number];

/** Those of the fields above that an import does not set, because what they count is not in the file. */
export const counterFields = [
  'upvote_count',
  'average_rating',
  'ratings_count',
  'comments_count',
  'views_count',
] as const satisfies readonly ImportField[];
export type CounterField = (typeof counterFields)[number];

/** A field of projects, or `fields.<key>` of a definition. */
const MappedField = z.union([z.templateLiteral(['fields.', z.string()]), z.enum(importFields)], {
  error: 'must be a field of a project',
});
export type MappedField = z.infer<typeof MappedField>;

/** What a column is mapped to: one field, or latitude and longitude together. */
const ColumnTarget = z
  .union([MappedField, z.literal('coordinates')], { error: 'must be a field of a project' })
  .meta({ id: 'ColumnTarget' });
export type ColumnTarget = z.infer<typeof ColumnTarget>;

const Default = z.union([z.string(), decimal(), z.boolean(), z.array(z.string()), Hours, z.null()], {
  error: 'must be a value of the field or null',
});

/** The encoding that a name of the Encoding Standard stands for, as `latin1` for `windows-1252`; undefined for no name. */
export const encodingNamed = (name: string): string | undefined => {
  try {
    return new TextDecoder(name).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** The name of an encoding in the Encoding Standard. */
export const EncodingName = z
  .string()
  .refine((name) => encodingNamed(name) !== undefined, {
    error: 'must be the name of an encoding, such as utf-8, windows-1252 or shift_jis',
  })
  .meta({ examples: ['utf-8', 'utf-16', 'windows-1252', 'shift_jis'] });

/** What the cells of a file hold. */
export const CellText = z.enum(['plain', 'html']).meta({ id: 'CellText' });

export const ImportMapping = z
  .object({
    columns: z
      .record(z.string(), ColumnTarget)
      .describe(
        'CSV column to field, such as `name` or `fields.<key>`; `coordinates` is a latitude and a longitude in one cell, as in `48.85, 2.35`. Names are compared in NFC and without invisible characters and blanks at their ends; in a JSON body a column `__proto__` is written with a blank before it.',
      ),
    defaults: z
      .partialRecord(MappedField, Default)
      .default({})
      .describe(
        'The value of a field whose column is absent or whose cell is blank. A text may name columns, as in `{type} in {city}`.',
      ),
    encoding: EncodingName.optional().describe(
      'The encoding of the file, by a name of the Encoding Standard; `utf-16` is either order of bytes. A byte order mark says more than the name. UTF-8 when it is missing. A file with other bytes is not imported; the error names the row.',
    ),
    blank: z
      .enum(['keep', 'clear'])
      .default('keep')
      .describe(
        'What a blank cell without a default does to the field of a listing that is updated. `clear` empties it, so that an export restores the listings that it was made of; fields that every listing has stay as they are.',
      ),
    text: CellText.default('plain').describe(
      'What the cells hold. Of `html` the entities are decoded and the tags dropped.',
    ),
    list_separator: z.string().min(1).max(5).default('|').describe('The separator of list entries in a cell.'),
    on_conflict: z
      .enum(['skip', 'update', 'error'])
      .default('skip')
      .describe('The handling of a row that matches an existing project.'),
    match_by: z
      .enum(['slug', 'url', 'id'])
      .default('slug')
      .describe(
        'The field that a row and a project share. Where it is the slug, a row without one is matched by its URL, each with a project of its own: branches may have one URL. Where it is the URL, rows with the same one are about one project.',
      ),
    create_categories: z
      .boolean()
      .default(false)
      .describe(
        'Create categories that do not exist yet. An entry of a cell is a category when it equals its slug or name; case, accents and blanks do not count, punctuation does.',
      ),
    dry_run: z.boolean().default(false).describe('Report what would happen and write nothing.'),
  })
  .meta({ id: 'ImportMapping' });
export type ImportMapping = z.infer<typeof ImportMapping>;
