import * as z from 'zod';
import { data, page } from './envelope.ts';
import { commaSeparated, line, paging, REFERENCE_MAX, Timestamp, text, WebUrl } from './fields.ts';
import { ViewerMarks } from './projects.ts';
import { defineRoute } from './route.ts';

export const Role = z.enum(['user', 'moderator', 'admin']);
export type Role = z.infer<typeof Role>;

/** What a user can be mailed about beside the results of moderation, which are always sent. */
export const notificationNames = [
  'submission_received',
  'payment_received',
  'promotion_ending',
  'weekly_digest',
] as const;
export type NotificationName = (typeof notificationNames)[number];

const preference = {
  submission_received: z.boolean().describe('A submission arrived and waits for moderation.'),
  payment_received: z.boolean().describe('A payment came in.'),
  promotion_ending: z.boolean().describe('A promotion is about to end.'),
  weekly_digest: z.boolean().describe('What happened to the own projects in a week.'),
} as const satisfies Record<NotificationName, z.ZodBoolean>;

/** Which mails a user wants; all of them until he says otherwise. The results of moderation are always sent. */
export const Notifications = z.object(preference).meta({ id: 'Notifications' });
export type Notifications = z.infer<typeof Notifications>;

/** A user as he and administrators see him. */
export const User = z
  .object({
    id: z.string().describe("The identity provider's subject."),
    email: z.string().nullable().describe('Null while the identity provider has told none.'),
    name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    bio: z.string().nullable(),
    website: z.string().nullable(),
    role: Role,
    is_admin: z.boolean().describe('True exactly when `role` is `admin`.'),
    is_banned: z.boolean().describe('Banned users read and do not write.'),
    ban_reason: z.string().nullable(),
    joined_at: Timestamp.describe('When the directory first saw him.'),
    notifications: Notifications,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

const blankAsNull = <T extends z.ZodType>(schema: T) => z.union([z.literal('').transform(() => null), schema]);

/** What a user says about himself; any part of it. */
export const ProfileUpdate = z
  .object({
    name: blankAsNull(line(1, 100).nullable()).optional().describe('What others see beside his comments.'),
    avatar_url: blankAsNull(WebUrl.nullable()).optional().describe('The address of a picture.'),
    bio: blankAsNull(text(0, 500).nullable()).optional().describe('Plain text, stored as written.'),
    website: blankAsNull(WebUrl.nullable()).optional(),
  })
  .meta({ id: 'ProfileUpdate' });
export type ProfileUpdate = z.infer<typeof ProfileUpdate>;

/** Which mails a user wants; those that are not named stay as they are. */
export const UserSettingsUpdate = z
  .object({ notifications: Notifications.partial().optional() })
  .meta({ id: 'UserSettingsUpdate' });
export type UserSettingsUpdate = z.infer<typeof UserSettingsUpdate>;

export const readProfile = defineRoute('users.readProfile', {
  method: 'GET',
  path: '/api/user/profile',
  summary: "Read the caller's own profile",
  auth: 'user',
  tier: 'general',
  replies: { 200: data(User) },
  needs: [],
});

export const updateProfile = defineRoute('users.updateProfile', {
  method: 'PUT',
  path: '/api/user/profile',
  summary: "Change the caller's own profile",
  description:
    'Partial; an empty text or null takes a field away. Address, role and bans are not for the user to change.',
  auth: 'user',
  tier: 'auth',
  body: ProfileUpdate,
  replies: { 200: data(User) },
  needs: [],
});

export const readSettings = defineRoute('users.readSettings', {
  method: 'GET',
  path: '/api/user/settings',
  summary: 'Read which mails the caller wants',
  auth: 'user',
  tier: 'general',
  replies: { 200: data(z.object({ notifications: Notifications })) },
  needs: [],
});

export const updateSettings = defineRoute('users.updateSettings', {
  method: 'PUT',
  path: '/api/user/settings',
  summary: 'Say which mails the caller wants',
  description: 'Partial. Answers the whole record of the user.',
  auth: 'user',
  tier: 'auth',
  body: UserSettingsUpdate,
  replies: { 200: data(User) },
  needs: [],
});

const MARKS_MAX = 100;

export const votes = defineRoute('users.votes', {
  method: 'GET',
  path: '/api/user/votes',
  summary: "Read the caller's votes and ratings of some projects",
  description:
    'One mark per reference, under the reference as it was given. What is not the id or slug of any project has a mark without a vote.',
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
  replies: { 200: data(z.record(z.string(), ViewerMarks)) },
  needs: ['table:get'],
});

export const exportData = defineRoute('users.exportData', {
  method: 'GET',
  path: '/api/user/export',
  summary: 'Export everything stored about the caller',
  description:
    'Streamed. `exported_at`, `profile`, and a list per kind of thing that belongs to the caller: `projects`, `votes`, `ratings`, `comments`, `payments`, `checkouts` and what else there is.',
  auth: 'user',
  tier: 'general',
  replies: {
    200: { stream: true, contentType: 'application/json; charset=utf-8', description: 'One object; lists by kind.' },
  },
  needs: ['table:get', 'table:query', 'table:collection'],
  timeoutSeconds: 300,
});

export const erase = defineRoute('users.erase', {
  method: 'DELETE',
  path: '/api/user',
  summary: 'Forget the caller',
  description:
    'Name, address and everything else of the profile are gone at once and for good, and tokens of this user are no longer taken. Votes and ratings go, in the background where they are many. Comments stay without a name, and so do projects unless `projects` is `delete`. An administrator has to be revoked by another one first.',
  auth: 'user',
  tier: 'auth',
  query: z.object({
    projects: z.enum(['keep', 'delete']).default('keep').describe('`delete` removes the own projects for good.'),
  }),
  replies: { 200: data(z.object({ id: z.string(), erased_at: Timestamp })) },
  failures: ['SELF_CHANGE'],
  needs: ['table:get', 'table:collection', 'table:write'],
});

/** A user as administrators see him. */
export const AdminUser = User.extend({
  project_count: z.int().min(0).describe('Projects of every status, without deleted ones.'),
  comment_count: z.int().min(0).describe('Comments that stand.'),
}).meta({ id: 'AdminUser' });
export type AdminUser = z.infer<typeof AdminUser>;

export const list = defineRoute('users.list', {
  method: 'GET',
  path: '/api/admin/users',
  summary: 'List the users',
  description: 'Newest first, with exact counts.',
  auth: 'admin',
  tier: 'admin',
  query: z.object({
    role: z
      .enum([...Role.options, 'banned'])
      .optional()
      .describe('`banned` lists banned users of every role.'),
    q: z
      .string()
      .overwrite((value) => value.trim())
      .refine((value) => [...value].length <= 100, { error: 'must have at most 100 characters' })
      .transform((value) => (value === '' ? undefined : value))
      .optional()
      .describe('Substring of name or address; case and accents do not matter.'),
    ...paging(40),
  }),
  replies: { 200: page(AdminUser) },
  needs: ['table:collection', 'catalog'],
});

/** What administrators decide about a user; any part of it. */
export const UserUpdate = z
  .object({
    is_admin: z.boolean().optional().describe('True sets `role` to `admin`; false takes that role away.'),
    role: Role.optional().describe('`admin` sets `is_admin`, any other role resets it.'),
    is_banned: z.boolean().optional(),
    ban_reason: blankAsNull(text(0, 1000).nullable()).optional().describe('Shown to the user; goes with the ban.'),
  })
  .refine(
    (body) => body.is_admin === undefined || body.role === undefined || body.is_admin === (body.role === 'admin'),
    {
      error: 'contradicts is_admin',
      path: ['role'],
    },
  )
  .refine((body) => body.is_banned !== false || !body.ban_reason, {
    error: 'only a banned user has one',
    path: ['ban_reason'],
  })
  .meta({ id: 'UserUpdate' });
export type UserUpdate = z.infer<typeof UserUpdate>;

export const update = defineRoute('users.update', {
  method: 'PUT',
  path: '/api/admin/users/{user}',
  summary: 'Grant, revoke or ban',
  description: 'Effective at once. Banning fires `userBanned`. Administrators cannot revoke or ban themselves.',
  auth: 'admin',
  tier: 'admin',
  body: UserUpdate,
  replies: { 200: data(AdminUser) },
  failures: ['NOT_FOUND', 'SELF_CHANGE'],
  needs: ['table:write', 'catalog'],
});
