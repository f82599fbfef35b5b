import * as z from 'zod';
import {
  commaSeparated,
  data,
  decimal,
  line,
  optionalList,
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
  WebUrl,
} from './fields.ts';
import { defineRoute } from './route.ts';

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
export const sortKeys = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Aliases of sort keys with their canonical key. */
export const sortAliases = {
  popular: 'upvotes',
  top_rated: 'rating',
  name_asc: 'name',
  name_desc: 'name_desc',
} as const satisfies Record<string, SortKey | 'name_desc'>;

/** A sort key with aliases resolved; `name_desc` has no canonical key of its own. */
export type SortOrder = SortKey | 'name_desc';

export const Latitude = decimal().min(-90).max(90);
export const Longitude = decimal().min(-180).max(180);

/** The content of a project. Updates are validated against the same fields, as far as they change them. */
const ProjectFields = {
  name: line(1, 100).describe('The name of the listing.'),
  slug: Slug.describe('The readable identifier, unique among all projects.'),
  url: WebUrl.describe("The listed site's address."),
  description: text(1, 500).describe('A short description; plain text.'),
  long_description: text(0, 10_000)
    .nullable()
    .describe('The full description; plain text or Markdown, stored as written.'),
  categories: z
    .array(reference(100))
    .transform((slugs) => [...new Set(slugs)])
    .meta({ description: 'Slugs of at most five existing categories.', maxItems: 5 }),
  tags: z
    .array(line(1, 40))
    .max(10, { error: 'must have at most 10 entries' })
    .transform((tags) => [...new Set(tags)])
    .describe('Free keywords.'),
  logo_url: WebUrl.nullable().describe('The URL of an image.'),
  screenshots: z.array(WebUrl).max(10, { error: 'must have at most 10 entries' }).describe('URLs of images.'),
  video_url: WebUrl.nullable().describe('The URL of a video.'),
  pricing_type: PricingType.describe('The pricing of the listed product.'),
  latitude: Latitude.nullable().describe('Degrees north, WGS 84. Requires `longitude`.'),
  longitude: Longitude.nullable().describe('Degrees east, WGS 84. Requires `latitude`.'),
  address_city: line(0, 100).nullable().describe('The city of the listing.'),
  address_country: line(0, 100).nullable().describe('The country of the listing.'),
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

/** Forms send an empty string for an optional field that has no value. */
const blankAsNull = <T extends z.ZodType>(schema: T) => z.union([z.literal('').transform(() => null), schema]);

const optionalFields = {
  slug: z
    .union([z.literal('').transform(() => undefined), z.null().transform(() => undefined), Slug])
    .optional()
    .describe('Generated from the name when empty.'),
  long_description: blankAsNull(ProjectFields.long_description).optional(),
  tags: optionalList(ProjectFields.tags),
  logo_url: blankAsNull(ProjectFields.logo_url).optional(),
  screenshots: optionalList(ProjectFields.screenshots),
  video_url: blankAsNull(ProjectFields.video_url).optional(),
  latitude: ProjectFields.latitude.optional(),
  longitude: ProjectFields.longitude.optional(),
  address_city: blankAsNull(ProjectFields.address_city).optional(),
  address_country: blankAsNull(ProjectFields.address_country).optional(),
} as const;

/** The body of a submission. Status, counters and owner in it are ignored. */
export const Submission = z
  .object({
    plan: Plan.describe('A `premium` project is created after payment.'),
    name: ProjectFields.name,
    url: ProjectFields.url,
    description: ProjectFields.description,
    categories: categoriesWithin(1).describe('Slugs of one to five existing categories.'),
    pricing_type: ProjectFields.pricing_type,
    ...optionalFields,
  })
  .refine(coordinatesTogether.when, { error: coordinatesTogether.error, path: ['longitude'] })
  .meta({ id: 'Submission' });
export type Submission = z.infer<typeof Submission>;

const required = {
  name: ProjectFields.name.optional(),
  url: ProjectFields.url.optional(),
  description: ProjectFields.description.optional(),
  pricing_type: ProjectFields.pricing_type.optional(),
} as const;

/** The body of an owner's update: any part of a submission. `plan`, counters and owner in it are ignored. */
export const ProjectUpdate = z
  .object({
    ...required,
    categories: optionalList(ProjectFields.categories),
    ...optionalFields,
    status: z.unknown().optional().describe('Administrators only; for others 403, unless it is the present one.'),
  })
  .meta({ id: 'ProjectUpdate' });
export type ProjectUpdate = z.infer<typeof ProjectUpdate>;

/** The body of an administrator's edit: the content and the fields reserved for administrators. */
export const ProjectEdit = z
  .object({
    ...required,
    categories: optionalList(ProjectFields.categories),
    ...optionalFields,
    plan: Plan.optional(),
    status: Status.optional(),
    deleted_at: TimestampInput.nullable().optional().describe('A time soft-deletes the project, null restores it.'),
    rejection_reason: text(0, 1000).nullable().optional(),
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
export const RevisionField = z.enum(revisionFields).meta({ id: 'RevisionField' });
export type RevisionField = z.infer<typeof RevisionField>;

const FieldValue = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

/** The change of one field of a project. */
export const FieldChange = z
  .object({
    field: RevisionField,
    before: FieldValue.describe('Null for a field without a value; an empty list for lists.'),
    after: FieldValue,
  })
  .meta({ id: 'FieldChange' });
export type FieldChange = z.infer<typeof FieldChange>;

/** An edit of a live project that waits for approval. */
export const PendingRevision = z
  .object({
    id: z.string().describe('`rev_` and a ULID.'),
    at: Timestamp.describe('The time of the first edit.'),
    changes: z.array(FieldChange).describe('`before` is the value that was published when the field was edited.'),
  })
  .meta({ id: 'PendingRevision' });
export type PendingRevision = z.infer<typeof PendingRevision>;

/** What a rule does with a submission. */
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

/** Why two listings are similar. */
export const SimilarityReason = z.enum(['same_url', 'same_host', 'similar_name', 'similar_text']);
export type SimilarityReason = z.infer<typeof SimilarityReason>;

/** A project as callers see it. */
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
    owner_id: z.string().describe('The user who submitted the project.'),
    upvote_count: z.int().min(0),
    average_rating: z.number().min(0).max(5).describe('Rounded to two decimals; 0 without ratings.'),
    ratings_count: z.int().min(0),
    comments_count: z.int().min(0),
    views_count: z.int().min(0),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    address_city: z.string().nullable(),
    address_country: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp.describe('The last change of an editable field.'),
    published_at: Timestamp.nullable().describe('The time of the first publication.'),
    deleted_at: Timestamp.nullable(),
    rejection_reason: z.string().nullable().optional().describe('Owner and administrators only.'),
    paid_at: Timestamp.nullable().optional().describe('Owner and administrators only.'),
    pending_revision: PendingRevision.nullable()
      .optional()
      .describe('Owner and administrators only: the edit that waits for approval, if any.'),
    possible_duplicates: z
      .array(z.string())
      .optional()
      .describe('Administrators only: ids of other projects with the same canonical URL.'),
    rule: AppliedRule.nullable()
      .optional()
      .describe('Administrators only: the rule that was applied to the last submission, if any.'),
    queue_position: z
      .int()
      .min(1)
      .optional()
      .describe("In the caller's own submissions: the position in the moderation queue."),
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

export const facetNames = ['category', 'sphere', 'pricing', 'tag'] as const;
/** The facets of the administrators' list. */
export const adminFacetNames = [...facetNames, 'status'] as const;
export type FacetName = (typeof adminFacetNames)[number];

const FacetCounts = z.array(z.object({ value: z.string(), count: z.int().min(0) }));

const ListMeta = PageMeta.extend({
  nextCursor: z
    .string()
    .nullable()
    .describe('Send it as `cursor` for the next page; stable while projects are added. Null on the last page.'),
  facets: z
    .partialRecord(z.enum(adminFacetNames), FacetCounts)
    .optional()
    .describe('Exact counts per value under the other filters, most frequent first.'),
}).meta({ id: 'ProjectListMeta' });

const ProjectList = z.object({ data: z.array(Project), meta: ListMeta }).meta({ id: 'ProjectList' });

const degrees = z
  .string()
  .trim()
  .regex(/^[+-]?\d{1,3}(?:\.\d{1,15})?$/, { error: 'must be a number of degrees' })
  .transform(Number);

/** `west,south,east,north`; a box across the date line has west greater than east. */
const BoundingBox = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([degrees, degrees, degrees, degrees], { error: 'must be west,south,east,north in degrees' }))
  .refine(
    ([west, south, east, north]) => [west, east].every((x) => Math.abs(x) <= 180) && south >= -90 && north <= 90,
    {
      error: 'must lie within -180..180 and -90..90',
    },
  )
  .refine(([, south, , north]) => south <= north, { error: 'must not have a south that is greater than its north' });

const Point = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([degrees, degrees], { error: 'must be latitude,longitude in degrees' }))
  .refine(([latitude, longitude]) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180, {
    error: 'must lie within -90..90 and -180..180',
  });

const filters = {
  category: commaSeparated(50).optional().describe('Category slugs, any of them.'),
  sphere: commaSeparated(50).optional().describe('Sphere names, any of them.'),
  tag: commaSeparated(50).optional().describe('Tags as they are written, any of them.'),
  pricing: z
    .enum(['all', ...PricingType.options])
    .default('all')
    .describe('Only projects of this pricing.'),
  sort: z
    .enum([...sortKeys, ...(Object.keys(sortAliases) as (keyof typeof sortAliases)[])])
    .default('newest')
    .transform((key): SortOrder => sortAliases[key as keyof typeof sortAliases] ?? (key as SortKey))
    .describe('Ties are broken by id, so pages never repeat or skip.'),
  q: z
    .string()
    .overwrite((value) => value.trim())
    .refine((value) => [...value].length <= 100, { error: 'must have at most 100 characters' })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ maxLength: 100 })
    .describe('Substring of name, description, host of `url` or a tag; case and accents are ignored.'),
  facets: commaSeparated(4)
    .pipe(z.array(z.enum(facetNames)))
    .optional()
    .describe('The counts to return in `meta.facets`.'),
  cursor: z.string().min(1).max(2000).optional().describe('From `meta.nextCursor`; replaces `page`.'),
  bbox: BoundingBox.optional().describe('Only projects inside `west,south,east,north`.'),
  near: Point.optional().describe('Only projects within `radius_km` of `lat,lon`.'),
  radius_km: z
    .string()
    .trim()
    .regex(/^\d{1,5}(?:\.\d{1,6})?$/, { error: 'must be a number of kilometres' })
    .transform(Number)
    .pipe(z.number().gt(0, { error: 'must be greater than 0' }).max(20_040, { error: 'must be at most 20040' }))
    .default(25)
    .describe('Used with `near`.'),
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
    ...filters,
  }),
  replies: { 200: ProjectList },
  permissions: ['catalog'],
});

export const browse = defineRoute('projects.browse', {
  method: 'GET',
  path: '/api/admin/projects',
  summary: 'List projects of every status',
  description:
    'Like the public list, for every status. Only `all` includes deleted projects. `q` searches the whole URL too and ' +
    'lists matches in the name or URL before all others, both in the requested order.',
  auth: 'admin',
  scopes: ['projects:read'],
  moderators: true,
  tier: 'admin',
  query: z.object({
    status: z
      .enum([...Status.options, 'all'])
      .default('live')
      .describe('Only projects of this status.'),
    ...paging(40),
    ...filters,
    q: filters.q.describe(
      'Substring of name, URL, description or a tag; case and accents are ignored. Matches in the name or URL come first.',
    ),
    owner: z
      .string()
      .overwrite((value) => value.trim())
      .max(REFERENCE_MAX, { error: `must have at most ${REFERENCE_MAX} characters` })
      .transform((value) => (value === '' ? undefined : value))
      .optional()
      .describe('Only projects of the user with this id.'),
    facets: commaSeparated(adminFacetNames.length)
      .pipe(z.array(z.enum(adminFacetNames)))
      .optional()
      .describe('The counts to return in `meta.facets`; `status` counts without the filter on the status.'),
  }),
  replies: { 200: ProjectList },
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
  replies: { 200: page(Project) },
  permissions: ['catalog'],
});

const ProjectForViewer = Project.extend({ viewer: ViewerState.optional().describe('With a credential only.') });

export const read = defineRoute('projects.read', {
  method: 'GET',
  path: '/api/projects/{project}',
  summary: 'Read a project',
  description:
    'By id, slug or earlier slug. A project that is not live is 404 except for its owner and administrators.',
  auth: 'optional',
  tier: 'general',
  replies: { 200: data(ProjectForViewer) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:collection'],
  // The response may contain the caller's vote and the fields for the owner.
  cacheSeconds: 0,
});

/** A project in the map feed, with exactly the members of the specification. */
export const MapItem = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    logo_url: z.string().nullable(),
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

/** The size limit of the map feed; it holds the newest projects. */
export const MAP_ITEMS_MAX = 5000;

export const map = defineRoute('projects.map', {
  method: 'GET',
  path: '/api/projects/map',
  summary: 'Read the map feed',
  description: 'Every live project with coordinates, newest first, at most 5000. The body uses `items`.',
  auth: 'public',
  tier: 'general',
  feature: 'map',
  replies: { 200: z.object({ items: z.array(MapItem) }) },
  permissions: ['catalog'],
  cacheSeconds: 120,
});

const Submitted = z
  .object({ id: z.string(), slug: z.string(), status: Status })
  .describe('The created project, pending moderation unless a rule has decided.');

/** The size of the list of similar projects in a dossier. */
export const DUPLICATES_MAX = 10;

/** The open reports of a project are counted up to this number. */
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
  auth: 'admin',
  scopes: ['projects:read'],
  moderators: true,
  tier: 'admin',
  replies: { 200: data(ProjectDossier) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog'],
});

export const submit = defineRoute('projects.submit', {
  method: 'POST',
  path: '/api/projects',
  summary: 'Submit a project',
  description:
    'A `standard` submission is created as `pending`, unless an active rule approves or rejects it. A `premium` submission returns a checkout URL and is created after payment.',
  auth: 'user',
  scopes: ['projects:write'],
  tier: 'submission',
  body: Submission,
  idempotent: true,
  replies: { 201: data(Submitted), 200: data(CheckoutStarted) },
  failures: ['SLUG_TAKEN', 'DUPLICATE_URL', 'PAYMENTS_UNAVAILABLE'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'catalog', 'stripe'],
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
  replies: { 200: data(ProjectForViewer) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write'],
});

export const remove = defineRoute('projects.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}',
  summary: 'Delete a project',
  description: 'Owner or administrator. Soft delete: an administrator can restore the project until it is purged.',
  auth: 'user',
  audited: true,
  tier: 'general',
  replies: { 200: data(z.object({ id: z.string(), deleted_at: Timestamp })) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  permissions: ['table:get', 'table:write'],
});

export const resubmit = defineRoute('projects.resubmit', {
  method: 'POST',
  path: '/api/projects/{project}/resubmit',
  summary: 'Resubmit a rejected project',
  description: 'By its owner. The project waits for moderation again, unless an active rule decides.',
  auth: 'user',
  audited: true,
  tier: 'general',
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write', 'catalog'],
});

export const approve = defineRoute('projects.approve', {
  method: 'PUT',
  path: '/api/admin/projects/{project}/approve',
  summary: 'Approve a pending project',
  description:
    'The project goes live, `projectApproved` fires, and the submitter is mailed. With `If-Match` the project that was read is approved, or none.',
  auth: 'admin',
  scopes: ['moderation'],
  moderators: true,
  tier: 'admin',
  ifMatch: true,
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write'],
});

export const reject = defineRoute('projects.reject', {
  method: 'PUT',
  path: '/api/admin/projects/{project}/reject',
  summary: 'Reject a pending project',
  description:
    'The submitter is mailed with the reason. With `If-Match` the project that was read is rejected, or none.',
  auth: 'admin',
  scopes: ['moderation'],
  moderators: true,
  tier: 'admin',
  ifMatch: true,
  body: z
    .object({ reason: text(0, 1000).nullable().optional().describe('Shown to the submitter.') })
    .optional()
    .meta({ id: 'Rejection' }),
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write'],
});

export const edit = defineRoute('projects.edit', {
  method: 'PUT',
  path: '/api/admin/projects/{project}',
  summary: 'Edit any project',
  description:
    'Bypasses ownership. `status` can be set to any value; from `pending` it has the event and the mail of approving or rejecting. `deleted_at` soft-deletes, null restores.',
  auth: 'admin',
  scopes: ['projects:write'],
  moderators: true,
  tier: 'admin',
  body: ProjectEdit,
  ifMatch: true,
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  permissions: ['table:get', 'table:query', 'table:collection', 'table:write'],
});

export const purge = defineRoute('projects.purge', {
  method: 'DELETE',
  path: '/api/admin/projects/{project}',
  summary: 'Delete a project permanently',
  description:
    'Irrecoverable. Votes, ratings, comments and slugs are deleted too, in the background if there are many.',
  auth: 'admin',
  scopes: [],
  moderators: false,
  tier: 'admin',
  replies: { 200: data(z.object({ id: z.string(), deleted: z.literal(true) })) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:write'],
});

/** The number of projects in one bulk request. */
export const BULK_MAX = 100;

const ids = z
  .array(Reference)
  .min(1, { error: 'must name at least one project' })
  .max(BULK_MAX, { error: `must name at most ${BULK_MAX} projects` })
  .transform((all) => [...new Set(all)])
  .describe('Ids or slugs.');

/** The action of a bulk request, applied to each project. */
export const BulkAction = z
  .discriminatedUnion('action', [
    z.object({ ids, action: z.literal('approve') }),
    z.object({ ids, action: z.literal('reject'), reason: text(0, 1000).nullable().optional() }),
    z.object({ ids, action: z.literal('delete') }),
    z.object({ ids, action: z.literal('restore') }),
    z.object({ ids, action: z.literal('set_categories'), categories: categoriesWithin(1) }),
  ])
  .meta({ id: 'BulkAction' });
export type BulkAction = z.infer<typeof BulkAction>;

export const exportCsv = defineRoute('projects.exportCsv', {
  method: 'GET',
  path: '/api/admin/projects/export',
  summary: 'Export all projects as CSV',
  description:
    'Streamed: a header, then every project including deleted ones; lists joined by `|`. The import accepts the file.',
  auth: 'admin',
  scopes: ['projects:read'],
  moderators: false,
  tier: 'admin',
  replies: {
    200: { stream: true, contentType: 'text/csv; charset=utf-8', description: 'One line per project.' },
  },
  permissions: ['catalog'],
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

const ImportFieldName = z.enum(importFields, { error: 'must be a field of a project' });

const Default = z.union([z.string(), decimal(), z.array(z.string()), z.null()], {
  error: 'must be text, a number, a list of texts or null',
});

/** The mapping of CSV columns to project fields. */
export const ImportMapping = z
  .object({
    columns: z.record(z.string(), ImportFieldName).describe('CSV column to field.'),
    defaults: z
      .partialRecord(ImportFieldName, Default)
      .default({})
      .describe('The value of a field whose column is absent or whose cell is blank.'),
    list_separator: z.string().min(1).max(5).default('|').describe('The separator of list entries in a cell.'),
    on_conflict: z
      .enum(['skip', 'update', 'error'])
      .default('skip')
      .describe('The handling of a row that matches an existing project.'),
    match_by: z
      .enum(['slug', 'url', 'id'])
      .default('slug')
      .describe(
        'The field that a row and a project share. A row without a slug is matched by the slug that it would get.',
      ),
    create_categories: z.boolean().default(false).describe('Create categories that do not exist yet.'),
    dry_run: z.boolean().default(false).describe('Report what would happen and write nothing.'),
  })
  .meta({ id: 'ImportMapping' });
export type ImportMapping = z.infer<typeof ImportMapping>;
