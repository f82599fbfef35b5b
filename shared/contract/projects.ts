import * as z from 'zod';
import { CheckoutStarted } from './checkout.ts';
import { data, PageMeta, page } from './envelope.ts';
import {
  commaSeparated,
  line,
  paging,
  Reference,
  reference,
  Slug,
  Timestamp,
  TimestampInput,
  text,
  WebUrl,
} from './fields.ts';
import { defineRoute } from './route.ts';

export const Plan = z.enum(['standard', 'premium']);
export type Plan = z.infer<typeof Plan>;
export const PricingType = z.enum(['free', 'freemium', 'paid']);
export type PricingType = z.infer<typeof PricingType>;
export const Status = z.enum(['live', 'pending', 'rejected']);
export type Status = z.infer<typeof Status>;

/** Sort keys in their canonical names. */
export const sortKeys = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Every accepted spelling of a sort key, with the canonical one. */
export const sortAliases = {
  popular: 'upvotes',
  top_rated: 'rating',
  name_asc: 'name',
  name_desc: 'name_desc',
} as const satisfies Record<string, SortKey | 'name_desc'>;

/** A sort key as the catalog takes it: aliases resolved, `name_desc` beside the canonical ones. */
export type SortOrder = SortKey | 'name_desc';

const Latitude = z.number().min(-90).max(90);
const Longitude = z.number().min(-180).max(180);

/** What a submitter may say about a project. Updates are checked against the same fields, as the merged record. */
const ProjectFields = {
  name: line(1, 100).describe('What the listing is called.'),
  slug: Slug.describe('The readable part of the address, unique among all projects.'),
  url: WebUrl.describe("The listed site's address."),
  description: text(1, 500).describe('What it is, in a few sentences; plain text.'),
  long_description: text(0, 10_000).nullable().describe('The long story; plain text or Markdown, stored as written.'),
  categories: z
    .array(reference(100))
    .transform((slugs) => [...new Set(slugs)])
    .describe('Slugs of existing categories.'),
  tags: z
    .array(line(1, 40))
    .max(10, { error: 'must have at most 10 entries' })
    .transform((tags) => [...new Set(tags)])
    .describe('Free words to find the listing by.'),
  logo_url: WebUrl.nullable().describe('The address of a picture.'),
  screenshots: z.array(WebUrl).max(10, { error: 'must have at most 10 entries' }).describe('Addresses of pictures.'),
  video_url: WebUrl.nullable().describe('The address of a film.'),
  pricing_type: PricingType.describe('What using the listed thing costs.'),
  latitude: Latitude.nullable().describe('Degrees north, WGS 84. Given together with `longitude` or not at all.'),
  longitude: Longitude.nullable().describe('Degrees east, WGS 84. Given together with `latitude` or not at all.'),
  address_city: line(0, 100).nullable().describe('The city of the listed place.'),
  address_country: line(0, 100).nullable().describe('The country of the listed place.'),
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
  error: 'latitude and longitude come together or not at all',
};

/** An empty string stands for "none" in optional fields of forms. */
const blankAsNull = <T extends z.ZodType>(schema: T) => z.union([z.literal('').transform(() => null), schema]);

const optionalFields = {
  slug: z
    .union([z.literal('').transform(() => undefined), z.null().transform(() => undefined), Slug])
    .optional()
    .describe('Made from the name when empty.'),
  long_description: blankAsNull(ProjectFields.long_description).optional(),
  tags: ProjectFields.tags.optional(),
  logo_url: blankAsNull(ProjectFields.logo_url).optional(),
  screenshots: ProjectFields.screenshots.optional(),
  video_url: blankAsNull(ProjectFields.video_url).optional(),
  latitude: ProjectFields.latitude.optional(),
  longitude: ProjectFields.longitude.optional(),
  address_city: blankAsNull(ProjectFields.address_city).optional(),
  address_country: blankAsNull(ProjectFields.address_country).optional(),
} as const;

/** The body of a submission. Status, counters and owner in it are ignored. */
export const Submission = z
  .object({
    plan: Plan.describe('`premium` goes through the checkout before a project exists.'),
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
    categories: ProjectFields.categories.optional(),
    ...optionalFields,
    status: z.unknown().optional().describe('Only administrators may send this; from anybody else it is 403.'),
  })
  .meta({ id: 'ProjectUpdate' });
export type ProjectUpdate = z.infer<typeof ProjectUpdate>;

/** The body of an administrator's edit: any field, and the ones that only administrators decide. */
export const ProjectEdit = z
  .object({
    ...required,
    categories: ProjectFields.categories.optional(),
    ...optionalFields,
    plan: Plan.optional(),
    status: Status.optional(),
    deleted_at: TimestampInput.nullable().optional().describe('A time soft-deletes, null restores.'),
    rejection_reason: text(0, 1000).nullable().optional(),
    owner_id: Reference.optional().describe('Gives the project to another user.'),
  })
  .meta({ id: 'ProjectEdit' });
export type ProjectEdit = z.infer<typeof ProjectEdit>;

const contentWith = (categoriesMin: number) =>
  z
    .object({ ...ProjectFields, categories: categoriesWithin(categoriesMin) })
    .refine(coordinatesTogether.when, { error: coordinatesTogether.error, path: ['longitude'] });

/**
 * The merged record that an administrator's edit and an import are checked against. It may have no category, because
 * deleting a category may leave a project without one.
 */
export const ProjectContent = contentWith(0);

/** The merged record that an update is checked against: nothing that a submission could not have been. */
export const OwnContent = contentWith(1);
export type ProjectContent = z.infer<typeof ProjectContent>;

/** A project as callers see it. */
export const Project = z
  .object({
    id: z.string().describe('`prj_` and a ULID.'),
    slug: z.string().describe('The readable identifier; earlier slugs keep answering.'),
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
    owner_id: z.string().describe('The identity that submitted it.'),
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
    published_at: Timestamp.nullable().describe('The first time it went live.'),
    deleted_at: Timestamp.nullable(),
    rejection_reason: z.string().nullable().optional().describe('Owner and administrators only.'),
    paid_at: Timestamp.nullable().optional().describe('Owner and administrators only.'),
    possible_duplicates: z
      .array(z.string())
      .optional()
      .describe('Administrators only: ids of other projects with the same canonical address.'),
    queue_position: z.int().min(1).optional().describe("In one's own submissions: the place in the moderation queue."),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

/** What the signed-in reader has done to this project. */
export const ViewerMarks = z
  .object({
    upvoted: z.boolean(),
    rating: z.int().min(1).max(5).nullable().describe("The reader's own rating, if any."),
  })
  .meta({ id: 'ViewerMarks' });
export type ViewerMarks = z.infer<typeof ViewerMarks>;

export const facetNames = ['category', 'sphere', 'pricing', 'tag'] as const;
export type FacetName = (typeof facetNames)[number];

const FacetCounts = z.array(z.object({ value: z.string(), count: z.int().min(0) }));

const ListMeta = PageMeta.extend({
  nextCursor: z
    .string()
    .nullable()
    .describe('Give it as `cursor` for the next page; stays stable while projects are added. Null at the end.'),
  facets: z
    .partialRecord(z.enum(facetNames), FacetCounts)
    .optional()
    .describe('Exact counts per value under the other filters, most frequent first.'),
}).meta({ id: 'ProjectListMeta' });

const ProjectList = z.object({ data: z.array(Project), meta: ListMeta }).meta({ id: 'ProjectList' });

const decimal = z
  .string()
  .trim()
  .regex(/^[+-]?\d{1,3}(?:\.\d{1,15})?$/, { error: 'must be a number of degrees' })
  .transform(Number);

/** `west,south,east,north`; a box over the date line has west greater than east. */
const BoundingBox = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([decimal, decimal, decimal, decimal], { error: 'must be west,south,east,north in degrees' }))
  .refine(
    ([west, south, east, north]) => [west, east].every((x) => Math.abs(x) <= 180) && south >= -90 && north <= 90,
    {
      error: 'must lie within -180..180 and -90..90',
    },
  )
  .refine(([, south, , north]) => south <= north, { error: 'south must not be greater than north' });

const Point = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([decimal, decimal], { error: 'must be latitude,longitude in degrees' }))
  .refine(([latitude, longitude]) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180, {
    error: 'must lie within -90..90 and -180..180',
  });

const filters = {
  category: commaSeparated(50).optional().describe('Category slugs, any of them.'),
  sphere: commaSeparated(50).optional().describe('Sphere names, any of them.'),
  pricing: z.enum(['all', ...PricingType.options]).default('all'),
  sort: z
    .enum([...sortKeys, ...(Object.keys(sortAliases) as (keyof typeof sortAliases)[])])
    .default('newest')
    .transform((key): SortOrder => sortAliases[key as keyof typeof sortAliases] ?? (key as SortKey))
    .describe('Ties end with the id, so pages never repeat or skip.'),
  q: z
    .string()
    .overwrite((value) => value.trim())
    .refine((value) => [...value].length <= 100, { error: 'must have at most 100 characters' })
    .transform((value) => (value === '' ? undefined : value))
    .optional()
    .meta({ maxLength: 100 })
    .describe('Substring of name, description, host of the address or a tag; case and accents do not matter.'),
  facets: commaSeparated(4)
    .pipe(z.array(z.enum(facetNames)))
    .optional()
    .describe('Which counts to add to `meta.facets`.'),
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
    'Live projects, filtered, searched, sorted and paged. An administrator may ask for another `status`; for everybody else it is ignored.',
  auth: 'optional',
  tier: 'general',
  query: z.object({
    status: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('`live`, `pending` or `rejected`; honoured for administrators only, not looked at for others.'),
    ...paging(40),
    ...filters,
  }),
  replies: { 200: ProjectList },
  needs: ['catalog'],
});

export const browse = defineRoute('projects.browse', {
  method: 'GET',
  path: '/api/admin/projects',
  summary: 'List projects of every status',
  description:
    'As the public list, over every status. `all` alone includes deleted ones. `q` looks in name and address.',
  auth: 'admin',
  tier: 'admin',
  query: z.object({
    status: z.enum([...Status.options, 'all']).default('live'),
    ...paging(40),
    ...filters,
    q: filters.q.describe('Substring of name or address; case and accents do not matter.'),
  }),
  replies: { 200: ProjectList },
  needs: ['catalog'],
});

export const mine = defineRoute('projects.mine', {
  method: 'GET',
  path: '/api/me/submissions',
  summary: "List the caller's own submissions",
  description: 'Newest first, every status, without deleted ones.',
  auth: 'user',
  tier: 'general',
  query: z.object(paging(40)),
  replies: { 200: page(Project) },
  needs: ['catalog'],
});

export const read = defineRoute('projects.read', {
  method: 'GET',
  path: '/api/projects/{project}',
  summary: 'Read a project',
  description:
    'By id, slug or earlier slug. A project that is not live answers 404 except to its owner and administrators.',
  auth: 'optional',
  tier: 'general',
  replies: { 200: data(Project.extend({ viewer: ViewerMarks.optional().describe('With a credential only.') })) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:query', 'catalog'],
  // Its tag stands for the record alone; a browser that asked with it by itself would keep showing old votes.
  cacheSeconds: 0,
});

/** A project in the map feed, exactly the members that the specification shows. */
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

/** How many projects the map feed has at most; the newest ones. */
export const MAP_ITEMS_MAX = 5000;

export const map = defineRoute('projects.map', {
  method: 'GET',
  path: '/api/projects/map',
  summary: 'Feed for the map',
  description: 'Every live project with coordinates, newest first, at most 5000. The body uses `items`.',
  auth: 'public',
  tier: 'general',
  feature: 'map',
  replies: { 200: z.object({ items: z.array(MapItem) }) },
  needs: ['catalog'],
  cacheSeconds: 120,
});

const Submitted = z
  .object({ id: z.string(), slug: z.string(), status: Status })
  .describe('The created project, waiting for moderation.');

export const submit = defineRoute('projects.submit', {
  method: 'POST',
  path: '/api/projects',
  summary: 'Submit a project',
  description:
    'A `standard` submission is created as `pending`. A `premium` one answers with a checkout address and is created when it is paid.',
  auth: 'user',
  tier: 'submission',
  body: Submission,
  idempotent: true,
  replies: { 201: data(Submitted), 200: data(CheckoutStarted) },
  failures: ['SLUG_TAKEN', 'DUPLICATE_URL', 'PAYMENTS_UNAVAILABLE'],
  needs: ['table:get', 'table:write', 'catalog', 'stripe'],
});

export const update = defineRoute('projects.update', {
  method: 'PUT',
  path: '/api/projects/{project}',
  summary: 'Update a project',
  description:
    'Owner or administrator. Partial; checked as the merged record. A changed slug keeps answering under the old one.',
  auth: 'user',
  audited: true,
  tier: 'general',
  body: ProjectUpdate,
  ifMatch: true,
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  needs: ['table:get', 'table:query', 'table:write', 'catalog'],
});

export const remove = defineRoute('projects.remove', {
  method: 'DELETE',
  path: '/api/projects/{project}',
  summary: 'Delete a project',
  description: 'Owner or administrator. Soft: an administrator can restore it until it is purged.',
  auth: 'user',
  audited: true,
  tier: 'general',
  replies: { 200: data(z.object({ id: z.string(), deleted_at: Timestamp })) },
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  needs: ['table:get', 'table:write'],
});

export const resubmit = defineRoute('projects.resubmit', {
  method: 'POST',
  path: '/api/projects/{project}/resubmit',
  summary: 'Put a rejected project back in the queue',
  auth: 'user',
  audited: true,
  tier: 'general',
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'INVALID_TRANSITION'],
  needs: ['table:get', 'table:query', 'table:write', 'catalog'],
});

export const approve = defineRoute('projects.approve', {
  method: 'PUT',
  path: '/api/admin/projects/{project}/approve',
  summary: 'Approve a pending project',
  description: 'It goes live, `projectApproved` fires and its submitter is mailed.',
  auth: 'admin',
  tier: 'admin',
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  needs: ['table:get', 'table:query', 'table:write', 'catalog'],
});

export const reject = defineRoute('projects.reject', {
  method: 'PUT',
  path: '/api/admin/projects/{project}/reject',
  summary: 'Reject a pending project',
  description: 'Its submitter is mailed with the reason.',
  auth: 'admin',
  tier: 'admin',
  body: z
    .object({ reason: text(0, 1000).nullable().optional().describe('Shown to the submitter.') })
    .optional()
    .meta({ id: 'Rejection' }),
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  needs: ['table:get', 'table:query', 'table:write', 'catalog'],
});

export const edit = defineRoute('projects.edit', {
  method: 'PUT',
  path: '/api/admin/projects/{project}',
  summary: 'Edit any project',
  description: 'Bypasses ownership. `status` moves anywhere; `deleted_at` soft-deletes, null restores.',
  auth: 'admin',
  tier: 'admin',
  body: ProjectEdit,
  ifMatch: true,
  replies: { 200: data(Project) },
  failures: ['NOT_FOUND', 'SLUG_TAKEN', 'DUPLICATE_URL'],
  needs: ['table:get', 'table:query', 'table:write', 'catalog'],
});

export const purge = defineRoute('projects.purge', {
  method: 'DELETE',
  path: '/api/admin/projects/{project}',
  summary: 'Delete a project for good',
  description: 'Irrecoverable. Its votes, ratings, comments and slugs go too, in the background where they are many.',
  auth: 'admin',
  tier: 'admin',
  replies: { 200: data(z.object({ id: z.string(), deleted: z.literal(true) })) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:write'],
});

/** How many projects one bulk call takes. */
export const BULK_MAX = 100;

const ids = z
  .array(Reference)
  .min(1, { error: 'must name at least one project' })
  .max(BULK_MAX, { error: `must name at most ${BULK_MAX} projects` })
  .transform((all) => [...new Set(all)])
  .describe('Ids or slugs.');

/** What a bulk call does to each of its projects. */
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

const BulkResult = z
  .object({
    id: z.string().describe('As it was given.'),
    ok: z.boolean(),
    status: Status.optional().describe("The project's status after a change that went well."),
    error: z.string().optional().describe('The text of the failure.'),
    code: z.string().optional().describe('The code of the failure.'),
  })
  .meta({ id: 'BulkResult' });
export type BulkResult = z.infer<typeof BulkResult>;

export const bulk = defineRoute('projects.bulk', {
  method: 'POST',
  path: '/api/admin/projects/bulk',
  summary: 'Change many projects',
  description: 'Each project is changed by itself; the answer says per id how it went, in the order given.',
  auth: 'admin',
  tier: 'admin',
  body: BulkAction,
  replies: {
    200: z.object({
      data: z.object({ results: z.array(BulkResult), succeeded: z.int().min(0), failed: z.int().min(0) }),
    }),
  },
  needs: ['table:get', 'table:write'],
  timeoutSeconds: 29,
});

export const exportCsv = defineRoute('projects.exportCsv', {
  method: 'GET',
  path: '/api/admin/projects/export',
  summary: 'Export all projects as CSV',
  description:
    'Streamed, every status and deleted ones too, header first, lists joined by `|`. The import takes it back.',
  auth: 'admin',
  tier: 'admin',
  replies: {
    200: { stream: true, contentType: 'text/csv; charset=utf-8', description: 'One line per project.' },
  },
  needs: ['catalog'],
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

const ImportFieldName = z.enum(importFields, { error: 'is not a field of a project' });

/** How the columns of a file become projects. */
export const ImportMapping = z
  .object({
    columns: z.record(z.string(), ImportFieldName).describe('CSV column to field.'),
    defaults: z
      .partialRecord(ImportFieldName, z.union([z.string(), z.number(), z.array(z.string()), z.null()]))
      .default({})
      .describe('What a field is when its column is absent or its cell blank.'),
    list_separator: z.string().min(1).max(5).default('|').describe('Between the entries of a list in one cell.'),
    on_conflict: z.enum(['skip', 'update', 'error']).default('skip').describe('When a project matches a row.'),
    match_by: z.enum(['slug', 'url', 'id']).default('slug'),
    create_categories: z.boolean().default(false).describe('Create categories that do not exist yet.'),
    dry_run: z.boolean().default(false).describe('Say what would happen and write nothing.'),
  })
  .meta({ id: 'ImportMapping' });
export type ImportMapping = z.infer<typeof ImportMapping>;

/** The largest file that one import takes, in bytes: what fits, written in base64, into the 6 MB that start a function. */
export const IMPORT_FILE_BYTES_MAX = 4_300_000;

export const ImportReport = z
  .object({
    batch_id: z.string().describe('`bat_` and a ULID.'),
    dry_run: z.boolean(),
    rows: z.int().min(0),
    created: z.int().min(0),
    updated: z.int().min(0),
    skipped: z.int().min(0),
    failed: z.int().min(0),
    errors: z.array(
      z.object({
        row: z.int().min(1).describe('The number of the record; the header is 1.'),
        column: z.string().nullable().describe('The CSV column, where one is to blame.'),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;

export const importCsv = defineRoute('projects.importCsv', {
  method: 'POST',
  path: '/api/admin/projects/import',
  summary: 'Import projects from CSV',
  description:
    'Multipart with `file` (CSV) and `mapping` (JSON, see ImportMapping; the short form `{ "<column>": "<field>" }` is taken too). One bad row never stops the others.',
  auth: 'admin',
  tier: 'admin',
  bodyKind: 'multipart',
  replies: { 200: data(ImportReport) },
  failures: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_INPUT'],
  needs: ['table:get', 'table:query', 'table:write', 'table:sweep', 'catalog'],
  timeoutSeconds: 29,
  memoryMb: 1769,
});
