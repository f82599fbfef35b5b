import * as z from 'zod';
import { data, optionalText, ProjectReference, page, paging, Timestamp } from './fields.ts';
import { adminOnly, defineRoute } from './route.ts';

export const ClaimMethod = z.enum(['mail', 'dns', 'page', 'manual']);
export type ClaimMethod = z.infer<typeof ClaimMethod>;

export const ClaimState = z.enum(['open', 'proven', 'approved', 'rejected', 'expired', 'withdrawn']);
export type ClaimState = z.infer<typeof ClaimState>;

export const CheckResult = z.enum(['found', 'missing', 'unreachable']);
export type CheckResult = z.infer<typeof CheckResult>;

const LastCheck = z.object({ at: Timestamp, result: CheckResult });
export type LastCheck = z.infer<typeof LastCheck>;

export const Claim = z
  .object({
    id: z.string().describe('`clm_` and a ULID.'),
    project: ProjectReference,
    method: ClaimMethod,
    state: ClaimState.describe('`open` and `proven` claims wait, for a proof or for an administrator.'),
    proof: z
      .object({
        name: z.string().describe('The name of the TXT record (`dns`) or of the `meta` element (`page`).'),
        value: z.string().describe('Its value, or the content of `/.well-known/directory-verification.txt`.'),
      })
      .nullable()
      .describe('What has to be published; null for `mail` and `manual`.'),
    last_check: LastCheck.nullable().describe('The last time that the service looked for the proof.'),
    created_at: Timestamp,
    expires_at: Timestamp.describe('14 days after the claim was made.'),
    decided_at: Timestamp.nullable().describe('The time of the approval, rejection or withdrawal.'),
    reason: z.string().nullable().describe('Why it was rejected.'),
  })
  .meta({ id: 'Claim' });
export type Claim = z.infer<typeof Claim>;

const ClaimUser = z
  .object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() })
  .meta({ id: 'ClaimUser' });

/** A claim as administrators see it. */
export const AdminClaim = Claim.extend({
  message: z.string().nullable().describe('What the claimant wrote.'),
  host: z.string().describe("The host of the listing's URL, without `www.`, when the claim was made."),
  claimant: ClaimUser,
  owner: ClaimUser.nullable().describe('The present owner; null for an erased user.'),
}).meta({ id: 'AdminClaim' });
export type AdminClaim = z.infer<typeof AdminClaim>;

const ClaimBody = z
  .object({
    method: ClaimMethod.describe(
      'How control of the host is proven: by the verified email address of the caller, a TXT record, a page of the site, or by an administrator.',
    ),
    message: optionalText(1000).optional().describe('A remark for the administrators.'),
  })
  .meta({ id: 'ClaimBody' });
export type ClaimBody = z.infer<typeof ClaimBody>;

const own = { feature: 'claims', auth: 'user' } as const;

export const open = defineRoute('claims.open', {
  ...own,
  method: 'POST',
  path: '/api/projects/{project}/claims',
  summary: 'Claim a listing',
  description:
    'For users who control the host of the `url` of a live listing, without `www.`, or its registrable domain. `mail` is proven at once. A proven claim is applied at once when the owner is staff, a service user or erased; any other waits for an administrator. One open claim per listing and five in all. Hosts of more than 20 live listings or of public mail services, IP addresses and `localhost` only take `manual`.',
  tier: 'submission',
  body: ClaimBody,
  idempotent: true,
  responses: { 201: data(Claim) },
  failures: ['NOT_FOUND', 'CLAIM_OPEN', 'LIMIT_REACHED', 'NOT_CLAIMABLE'],
  permissions: ['table:get', 'catalog'],
  writes: ['projects', 'claims', 'events'],
});

export const mine = defineRoute('claims.mine', {
  ...own,
  method: 'GET',
  path: '/api/me/claims',
  summary: "List the caller's claims",
  description: 'Newest first, decided and expired ones too.',
  tier: 'general',
  query: z.object(paging(40)),
  responses: { 200: page(Claim) },
  permissions: ['table:get', 'table:collection'],
});

export const withdraw = defineRoute('claims.withdraw', {
  ...own,
  method: 'DELETE',
  path: '/api/projects/{project}/claims/{claim}',
  summary: 'Withdraw a claim',
  description: 'By the user who made it, while it waits.',
  tier: 'general',
  responses: { 200: data(Claim) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get'],
  writes: ['projects'],
});

export const verify = defineRoute('claims.verify', {
  ...own,
  method: 'POST',
  path: '/api/projects/{project}/claims/{claim}/verify',
  summary: 'Look for the proof of a claim',
  description:
    'Looks now, for at most five seconds; `last_check` has the result. Only `found` changes the state. Requests go to public addresses and follow redirects within the domain of the listing only.',
  tier: 'submission',
  responses: { 200: data(Claim) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION', 'NOT_CLAIMABLE'],
  permissions: ['table:get'],
  writes: ['projects', 'events'],
});

const forReview = { ...adminOnly, feature: 'claims' } as const;

export const list = defineRoute('claims.list', {
  ...forReview,
  method: 'GET',
  path: '/api/admin/claims',
  summary: 'List the claims',
  description: 'Newest first, each with its proof, the claimant and the present owner.',
  query: z.object({
    state: ClaimState.optional().describe('Only claims in this state; all by default.'),
    ...paging(40),
  }),
  responses: { 200: page(AdminClaim) },
  permissions: ['table:get', 'table:feed'],
});

const decision = {
  ...forReview,
  method: 'POST',
  responses: { 200: data(AdminClaim) },
  permissions: ['table:get'],
} as const;

export const approve = defineRoute('claims.approve', {
  ...decision,
  path: '/api/admin/claims/{claim}/approve',
  summary: 'Make the claimant the owner',
  description:
    'A proven claim, or one by the method `manual`. Other claims of the listing that wait are rejected, and both users are mailed.',
  failures: ['NOT_FOUND', 'INVALID_TRANSITION', 'NOT_CLAIMABLE'],
  writes: ['projects', 'events'],
});

export const reject = defineRoute('claims.reject', {
  ...decision,
  path: '/api/admin/claims/{claim}/reject',
  summary: 'Reject a claim',
  description: 'The listing keeps its owner.',
  body: z
    .object({ reason: optionalText(1000).optional().describe('Shown to the claimant.') })
    .meta({ id: 'ClaimRejection' })
    .optional(),
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  writes: ['projects', 'events'],
});
