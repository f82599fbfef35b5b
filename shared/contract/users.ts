import * as z from 'zod';
import { trimmed } from './characters.ts';
import { Comment } from './comments.ts';
import {
  blankAsNull,
  commaSeparated,
  data,
  optionalLine,
  optionalText,
  page,
  paging,
  REFERENCE_MAX,
  Timestamp,
  TimestampInput,
} from './fields.ts';
import { LedgerEntry } from './payments.ts';
import { CountsByStatus, Project, ViewerState } from './projects.ts';
import { AdminReport } from './reports.ts';
import { adminOnly, defineRoute } from './route.ts';
import { WebUrl } from './web-addresses.ts';

export const Role = z.enum(['user', 'moderator', 'admin']);
export type Role = z.infer<typeof Role>;

/** The preferences for optional mails; all on by default. Results of moderation are always sent. */
export const Notifications = z
  .object({
    submission_received: z.boolean().describe('A submission was received.'),
    payment_received: z.boolean().describe('A payment was received.'),
    promotion_ending: z.boolean().describe('A promotion ends soon.'),
    weekly_digest: z.boolean().describe("The week's statistics of the user's projects."),
    follow_digest: z.boolean().describe('New listings that match what the user follows.'),
  })
  .meta({ id: 'Notifications' });
export type Notifications = z.infer<typeof Notifications>;

export const User = z
  .object({
    id: z.string().describe("The identity provider's subject."),
    email: z.string().nullable().describe('Null when the identity provider supplies none.'),
    email_verified: z
      .boolean()
      .describe('Whether the identity provider has verified the address. Mail is sent to verified addresses only.'),
    name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    bio: z.string().nullable(),
    website: z.string().nullable(),
    role: Role,
    is_admin: z.boolean().describe('True exactly when `role` is `admin`.'),
    is_banned: z
      .boolean()
      .describe(
        'Banned users can read, export and erase their data, but not write. Banned administrators have no access to the administration.',
      ),
    ban_reason: z.string().nullable(),
    ban_expires_at: Timestamp.nullable().describe('The end of the ban; null when there is no ban or it does not end.'),
    joined_at: Timestamp.describe('The time of the first request.'),
    notifications: Notifications,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const ProfileUpdate = z
  .object({
    name: optionalLine(100).optional().describe('The name shown with comments.'),
    avatar_url: blankAsNull(WebUrl.nullable()).optional().describe('The URL of an image.'),
    bio: optionalText(500).optional().describe('Plain text, stored as written.'),
    website: blankAsNull(WebUrl.nullable()).optional(),
  })
  .meta({ id: 'ProfileUpdate' });
export type ProfileUpdate = z.infer<typeof ProfileUpdate>;

const UserSettings = z.object({ notifications: Notifications });

export const UserSettingsUpdate = z
  .object({ notifications: Notifications.partial().optional() })
  .meta({ id: 'UserSettingsUpdate' });
export type UserSettingsUpdate = z.infer<typeof UserSettingsUpdate>;

export const readProfile = defineRoute('users.readProfile', {
  method: 'GET',
  path: '/api/user/profile',
  summary: "Read the caller's own profile",
  description: 'With the email address and the role.',
  auth: 'user',
  tier: 'general',
  responses: { 200: data(User) },
  // Stores the role that `ADMIN_EMAILS` gives; every other route only applies it.
  permissions: [],
  writes: ['users:roles'],
});

export const updateProfile = defineRoute('users.updateProfile', {
  method: 'PUT',
  path: '/api/user/profile',
  summary: "Update the caller's own profile",
  description: 'Partial; an empty string or null clears a field. E-mail address, role and ban cannot be changed here.',
  auth: 'user',
  tier: 'auth',
  allowsUnverified: true,
  body: ProfileUpdate,
  responses: { 200: data(User) },
  permissions: [],
});

export const readSettings = defineRoute('users.readSettings', {
  method: 'GET',
  path: '/api/user/settings',
  summary: "Read the caller's notification preferences",
  description: 'Which mails the caller receives.',
  auth: 'user',
  tier: 'general',
  responses: { 200: data(UserSettings) },
  permissions: [],
});

export const updateSettings = defineRoute('users.updateSettings', {
  method: 'PUT',
  path: '/api/user/settings',
  summary: "Update the caller's notification preferences",
  description: 'Partial. Returns all preferences.',
  auth: 'user',
  tier: 'auth',
  body: UserSettingsUpdate,
  responses: { 200: data(UserSettings) },
  permissions: [],
});

const MARKS_MAX = 100;

/** The caller's votes and ratings by reference, and the ids of the bookmarked projects among them. */
export const Reactions = z
  .object({ bookmarked: z.array(z.string()).optional().describe('Ids; absent while the feature `bookmarks` is off.') })
  .catchall(ViewerState)
  .meta({ id: 'Reactions' });
export type Reactions = z.infer<typeof Reactions>;

export const votes = defineRoute('users.votes', {
  method: 'GET',
  path: '/api/user/votes',
  summary: "Read the caller's votes, ratings and bookmarks",
  description:
    'One entry per reference, keyed by the reference as sent. An unknown reference has an entry without vote and rating. `bookmarked` lists the ids of those that the caller has bookmarked.',
  auth: 'user',
  tier: 'general',
  query: z.object({
    ids: commaSeparated(MARKS_MAX)
      .pipe(
        z.array(
          z
            .string()
            .max(REFERENCE_MAX, { error: `must have at most ${REFERENCE_MAX} characters` })
            .refine((one) => one.isWellFormed(), { error: 'must be well-formed Unicode' }),
        ),
      )
      .describe('Ids or slugs, at most 100.'),
  }),
  responses: { 200: data(Reactions) },
  permissions: ['table:get'],
});

const UserExport = z
  .object({
    exported_at: Timestamp,
    profile: User.extend({ comment_count: z.int().min(0) }),
  })
  .catchall(z.array(z.record(z.string(), z.unknown())))
  .meta({ id: 'UserExport' });

export const exportData = defineRoute('users.exportData', {
  method: 'GET',
  path: '/api/user/export',
  summary: 'Export everything stored about the caller',
  description:
    'Streamed. `data` has `exported_at`, `profile`, and a list per kind of record that belongs to the caller, such as `projects`, `votes`, `ratings`, `comments`, `bookmarks`, `payments` and `checkouts`. `events` and `audit_log` are the entries that name the caller; who caused those of others is not in them. Banned users may export their data.',
  auth: 'user',
  tier: 'general',
  responses: {
    200: {
      stream: true,
      contentType: 'application/json; charset=utf-8',
      description: 'Lists by kind.',
      schema: data(UserExport),
    },
  },
  permissions: ['table:get', 'table:query', 'table:collection'],
  reservedConcurrency: 5,
  timeoutSeconds: 300,
});

const ProjectsOfErased = z.enum(['keep', 'delete']).meta({ id: 'ProjectsOfErased' });

/** What an erasure by the user and one by an administrator have in common. */
const erasure = {
  method: 'DELETE',
  query: z.object({
    projects: ProjectsOfErased.default('keep').describe('`delete` deletes the projects of the user permanently.'),
  }),
  responses: { 200: data(z.object({ id: z.string(), erased_at: Timestamp })) },
  permissions: ['table:get', 'table:query', 'table:collection'],
  writes: [
    'users:erase',
    'api-keys:end',
    'user-count',
    'projects',
    'slugs',
    'reports',
    'claims',
    'drafts',
    'checkouts',
    'batches',
    'bookmarks',
    'follows',
    'mail-suppressions',
    'events',
  ],
} as const;

export const erase = defineRoute('users.erase', {
  ...erasure,
  path: '/api/user',
  summary: 'Erase the caller',
  description:
    'Deletes the profile immediately and permanently and rejects tokens of this user. Votes, ratings, bookmarks and claims are deleted, in the background if there are many. Comments stay without a name, and so do projects unless `projects` is `delete`. Reports, the event log, the audit log and deliveries to webhooks lose the id and the words of the user; what is sent from now on has neither. The last administrator cannot be erased. Banned users may erase themselves.',
  auth: 'user',
  tier: 'auth',
  allowsBanned: true,
  allowsUnverified: true,
  failures: ['SELF_CHANGE'],
});

export const AdminUser = User.extend({
  project_count: z.int().min(0).describe('Projects of every status except deleted.'),
  comment_count: z.int().min(0).describe('Existing comments.'),
}).meta({ id: 'AdminUser' });
export type AdminUser = z.infer<typeof AdminUser>;

export const list = defineRoute('users.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/users',
  summary: 'List the users',
  description: 'Newest first, with exact counts.',
  query: z.object({
    role: z
      .enum([...Role.options, 'banned'])
      .optional()
      .describe('`banned` lists banned users of every role.'),
    q: z
      .string()
      .overwrite(trimmed)
      .refine((value) => [...value].length <= 100, { error: 'must have at most 100 characters' })
      .transform((value) => (value === '' ? undefined : value))
      .optional()
      .describe('Substring of name or e-mail address; case and accents are ignored.'),
    ...paging(40),
  }),
  responses: { 200: page(AdminUser) },
  permissions: ['table:collection', 'catalog'],
});

const NEWEST_MAX = 10;

/** What administrators see of a user before they decide about one of their listings. */
export const UserDossier = AdminUser.extend({
  counts: CountsByStatus.describe("The user's projects."),
  submissions: z
    .array(
      Project.pick({ id: true, slug: true, name: true, url: true, status: true, created_at: true }).extend({
        deleted_at: Timestamp.nullable(),
      }),
    )
    .describe(`The newest ${NEWEST_MAX} projects of every status, soft-deleted ones too.`),
  comments: z.array(Comment.omit({ user: true })).describe(`The newest ${NEWEST_MAX} comments.`),
  reports: z.array(AdminReport).describe(`The newest ${NEWEST_MAX} reports by the user.`),
  payments: z.array(LedgerEntry).describe(`The newest ${NEWEST_MAX} payments, refunds and disputes.`),
}).meta({ id: 'UserDossier' });
export type UserDossier = z.infer<typeof UserDossier>;

export const read = defineRoute('users.read', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/users/{user}',
  summary: 'Read a user',
  description: 'With the number of projects by status and the newest projects, comments, reports and payments.',
  responses: { 200: data(UserDossier) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:collection', 'catalog'],
});

export const UserUpdate = z
  .object({
    is_admin: z.boolean().optional().describe('True sets `role` to `admin`; false resets it.'),
    role: Role.optional().describe('`admin` sets `is_admin`, any other role resets it.'),
    is_banned: z.boolean().optional(),
    ban_reason: optionalText(1000).optional().describe('Shown to the user; removed with the ban.'),
    ban_expires_at: blankAsNull(TimestampInput.nullable())
      .optional()
      .describe('When the ban ends by itself, in the future; null for a ban that does not end.'),
  })
  .refine(
    (body) => body.is_admin === undefined || body.role === undefined || body.is_admin === (body.role === 'admin'),
    {
      error: 'must agree with is_admin',
      path: ['role'],
    },
  )
  .refine((body) => body.is_banned !== false || !body.ban_reason, {
    error: 'must be absent when the ban is lifted',
    path: ['ban_reason'],
  })
  .refine((body) => body.is_banned !== false || !body.ban_expires_at, {
    error: 'must be absent when the ban is lifted',
    path: ['ban_expires_at'],
  })
  .meta({ id: 'UserUpdate' });
export type UserUpdate = z.infer<typeof UserUpdate>;

export const update = defineRoute('users.update', {
  ...adminOnly,
  method: 'PUT',
  path: '/api/admin/users/{user}',
  summary: 'Update a user',
  description:
    'Effective immediately. A ban fires `userBanned`; one with `ban_expires_at` ends by itself at that time. Administrators cannot revoke or ban themselves.',
  body: UserUpdate,
  responses: { 200: data(AdminUser) },
  failures: ['NOT_FOUND', 'SELF_CHANGE'],
  permissions: ['table:collection'],
  writes: ['users:roles', 'events'],
});

export const remove = defineRoute('users.remove', {
  ...adminOnly,
  ...erasure,
  path: '/api/admin/users/{user}',
  summary: 'Erase a user',
  description:
    'Like the erasure by the user: the profile, votes and ratings are deleted, and comments, and projects unless `projects` is `delete`, stay without a name. Administrators cannot erase themselves here.',
  failures: ['NOT_FOUND', 'SELF_CHANGE'],
});
