import * as z from 'zod';
import {
  data,
  decimal,
  dryRunParameter,
  integer,
  line,
  optionalLine,
  optionalList,
  reference,
  Timestamp,
  wellFormed,
} from './fields.ts';
import { adminOnly, defineRoute } from './route.ts';

export const fieldTypes = [
  'text',
  'long_text',
  'number',
  'select',
  'multi_select',
  'boolean',
  'date',
  'url',
  'email',
  'phone',
  'hours',
] as const;
export const FieldType = z.enum(fieldTypes).meta({ id: 'FieldType' });
export type FieldType = z.infer<typeof FieldType>;

export const fieldAccesses = ['public', 'owner', 'staff'] as const;
export const FieldAccess = z.enum(fieldAccesses).meta({ id: 'FieldAccess' });
export type FieldAccess = z.infer<typeof FieldAccess>;

export const FieldEditor = z.enum(['owner', 'staff']).meta({ id: 'FieldEditor' });
export type FieldEditor = z.infer<typeof FieldEditor>;

export const FIELDS_MAX = 40;
export const FILTERABLE_MAX = 20;
export const SORTABLE_MAX = 10;
export const SEARCHABLE_MAX = 10;
export const OPTIONS_MAX = 200;
/** The values of one listing, as JSON, in bytes. */
export const FIELD_VALUES_BYTES_MAX = 16 * 1024;

const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/;

/** A field among facets. */
export const FacetField = z.templateLiteral(['fields.', z.string()]);
export type FacetField = z.infer<typeof FacetField>;

/** A field in `sort`, ascending or descending. */
export const FieldOrder = z.templateLiteral([z.enum(['fields.', '-fields.']), z.string()]);
export type FieldOrder = z.infer<typeof FieldOrder>;

/** Between the bounds of a range in a filter. */
export const RANGE = '..';

/** The filters of a query by the key of their field. */
export const FieldFilters = z
  .record(z.string().regex(FIELD_KEY, { error: 'is not the key of a field' }), z.string())
  .refine((filters) => Object.keys(filters).length <= FILTERABLE_MAX, {
    error: `must have at most ${FILTERABLE_MAX} fields`,
  });

const FieldKey = z.string().trim().regex(FIELD_KEY, {
  error: 'must be at most 40 lower-case letters, digits and underscores, beginning with a letter',
});

export const FieldOption = z
  .object({
    value: z
      .string()
      .trim()
      .regex(/^[a-z0-9_-]{1,40}$/, { error: 'must be 1 to 40 lower-case letters, digits, underscores and hyphens' })
      .describe('What listings store.'),
    label: line(1, 60),
  })
  .meta({ id: 'FieldOption' });
export type FieldOption = z.infer<typeof FieldOption>;

/** A further field of listings. */
export const Field = z
  .object({
    id: z.string().describe('`fld_` and a ULID.'),
    key: z.string().describe('The name of its values in `fields` of projects.'),
    type: FieldType,
    label: z.string(),
    help: z.string().nullable(),
    unit: z.string().nullable().describe('Of numbers, such as `EUR` or `km`.'),
    options: z.array(z.object({ value: z.string(), label: z.string() })).describe('Of `select` and `multi_select`.'),
    categories: z
      .array(z.string())
      .describe('Slugs; the field applies to listings in one of them, or to all if empty.'),
    required: z.boolean().describe('In submissions, and in updates by owners that touch the field.'),
    access: FieldAccess.describe(
      'Who reads its values: all; the owner, administrators, moderators and API keys with `projects:read`; or these without the owner.',
    ),
    edit: FieldEditor.describe('Who writes its values: owners too, or administrators and moderators only.'),
    filterable: z.boolean(),
    sortable: z.boolean(),
    searchable: z.boolean(),
    in_card: z.boolean().describe('Whether lists show its values.'),
    min: z.number().nullable().describe('Of numbers.'),
    max: z.number().nullable().describe('Of numbers.'),
    sort_order: z.int(),
    deleted_at: Timestamp.nullable().describe('A deleted definition can be restored for 30 days.'),
  })
  .meta({ id: 'Field' });
export type Field = z.infer<typeof Field>;

/** A definition for administrators. */
export const AdminField = Field.extend({ etag: z.string().describe('For `If-Match`.') }).meta({ id: 'AdminField' });
export type AdminField = z.infer<typeof AdminField>;

const members = {
  label: line(1, 60),
  help: optionalLine(200),
  unit: optionalLine(20).describe('Only of `number`.'),
  options: z
    .array(FieldOption)
    .max(OPTIONS_MAX, { error: `must have at most ${OPTIONS_MAX} entries` })
    .refine((options) => new Set(options.map(({ value }) => value)).size === options.length, {
      error: 'must have different values',
    })
    .describe(
      'Of `select` and `multi_select`, at least one. Values of a removed option are hidden, and shown again when it is back.',
    ),
  categories: z
    .array(reference(100))
    .max(100, { error: 'must have at most 100 entries' })
    .transform((slugs) => [...new Set(slugs)])
    .describe('Slugs of existing categories; empty: the field applies to all listings.'),
  required: z.boolean(),
  access: FieldAccess,
  edit: FieldEditor.describe('`access: staff` implies `staff`.'),
  filterable: z.boolean().describe('Not of `long_text`, `url`, `email` and `phone`.'),
  sortable: z.boolean().describe('Only of `number`, `boolean` and `date`.'),
  searchable: z.boolean().describe('Only of `text`, `long_text`, `select` and `multi_select`.'),
  in_card: z.boolean(),
  min: decimal().nullable().describe('Only of `number`.'),
  max: decimal().nullable().describe('Only of `number`.'),
  sort_order: integer(-1_000_000, 1_000_000),
} as const;

export const FieldBody = z
  .object({
    key: FieldKey.describe('Never changes. Not the name of another member of projects.'),
    type: FieldType.describe('Never changes.'),
    label: members.label,
    help: members.help.default(null),
    unit: members.unit.default(null),
    options: optionalList(members.options),
    categories: optionalList(members.categories),
    required: members.required.default(false),
    access: members.access.default('public'),
    edit: members.edit.default('owner'),
    filterable: members.filterable.default(false),
    sortable: members.sortable.default(false),
    searchable: members.searchable.default(false),
    in_card: members.in_card.default(false),
    min: members.min.default(null),
    max: members.max.default(null),
    sort_order: members.sort_order.optional().describe('After all others by default.'),
  })
  .meta({ id: 'FieldBody' });
export type FieldBody = z.output<typeof FieldBody>;

export const FieldUpdate = z
  .object({
    ...z.object(members).partial().shape,
    options: optionalList(members.options),
    categories: optionalList(members.categories),
    key: wellFormed(z.string()).optional().describe('Only the present one.'),
    type: wellFormed(z.string()).optional().describe('Only the present one.'),
    deleted_at: wellFormed(z.string())
      .nullable()
      .optional()
      .describe('`null` restores a deleted definition with its values.'),
  })
  .meta({ id: 'FieldUpdate' });
export type FieldUpdate = z.output<typeof FieldUpdate>;

const Span = z.array(z.string()).min(2).max(2).describe('Begin and end, such as `["09:00", "17:30"]`.');
const Spans = z.array(Span).optional();

/** The days of a week, beginning on Monday. */
export const weekdays = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

export const Hours = z
  .object({
    zone: z.string().describe('The IANA name of a time zone.'),
    week: z
      .object({ mo: Spans, tu: Spans, we: Spans, th: Spans, fr: Spans, sa: Spans, su: Spans })
      .describe('At most 4 spans a day; one that ends before it begins ends on the next day.'),
    closed: z.array(z.string()).describe('Dates on which no span begins, at most 60.'),
  })
  .meta({ id: 'Hours' });
export type Hours = z.infer<typeof Hours>;

/** A value as its field's type says. */
export const CustomValue = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string()), Hours])
  .meta({ id: 'FieldValue' });
export type CustomValue = z.infer<typeof CustomValue>;

export const list = defineRoute('fields.list', {
  method: 'GET',
  path: '/api/fields',
  summary: 'List the public field definitions',
  description: 'The further fields of listings that all callers may read, in the order of forms.',
  auth: 'public',
  tier: 'general',
  feature: 'fields',
  responses: { 200: data(z.array(Field)) },
  permissions: ['table:query'],
});

const admin = { ...adminOnly, feature: 'fields' } as const;

export const browse = defineRoute('fields.browse', {
  ...admin,
  method: 'GET',
  path: '/api/admin/fields',
  summary: 'List all field definitions',
  description: 'Also those that only owners and staff read, and deleted ones until they are purged.',
  responses: { 200: data(z.array(AdminField)) },
  permissions: ['table:query'],
});

export const create = defineRoute('fields.create', {
  ...admin,
  method: 'POST',
  path: '/api/admin/fields',
  summary: 'Define a field',
  description: `At most ${FIELDS_MAX} fields, ${FILTERABLE_MAX} filterable, ${SORTABLE_MAX} sortable and ${SEARCHABLE_MAX} searchable ones. Effective within two seconds.`,
  body: FieldBody,
  idempotent: true,
  responses: { 201: data(AdminField) },
  failures: ['FIELD_EXISTS', 'LIMIT_REACHED'],
  permissions: ['table:get', 'table:query'],
  writes: ['fields'],
});

/** What a change would hide. */
const FieldDryRun = z
  .object({
    dry_run: z.literal(true),
    listings: z.int().min(0).describe('How many listings would show less, to all callers or some.'),
  })
  .meta({ id: 'FieldDryRun' });

export const update = defineRoute('fields.update', {
  ...admin,
  method: 'PUT',
  path: '/api/admin/fields/{field}',
  summary: 'Change a field definition',
  description:
    'By id or key. Partial. Values of listings stay as they are; a narrowed bound or a new `required` binds the next change of a value.',
  query: z.object(dryRunParameter),
  body: FieldUpdate,
  ifMatch: true,
  responses: { 200: data(z.union([AdminField, FieldDryRun])) },
  failures: ['NOT_FOUND', 'LIMIT_REACHED'],
  permissions: ['table:get', 'table:query', 'catalog'],
  writes: ['fields'],
});

export const remove = defineRoute('fields.remove', {
  ...admin,
  method: 'DELETE',
  path: '/api/admin/fields/{field}',
  summary: 'Delete a field definition',
  description:
    'By id or key. Hides the field and its values; `PUT { "deleted_at": null }` brings both back within 30 days. After that the key is free, and a new field of this key has no values.',
  query: z.object(dryRunParameter),
  ifMatch: true,
  responses: { 200: data(z.union([z.object({ id: z.string(), deleted_at: Timestamp }), FieldDryRun])) },
  failures: ['NOT_FOUND'],
  permissions: ['table:query', 'catalog'],
  writes: ['fields'],
});
