import * as z from 'zod';
import { data, optionalText, ProjectReference, page, paging, Timestamp } from './fields.ts';
import { defineRoute, forStaff } from './route.ts';

export const VoteCaseState = z.enum(['open', 'held', 'released']);
export type VoteCaseState = z.infer<typeof VoteCaseState>;

export const VoteSignal = z.enum(['new_accounts', 'same_network']);
export type VoteSignal = z.infer<typeof VoteSignal>;

/** How many accounts of a case are shown: those of a hundred cases fit into a response. */
export const CASE_ACCOUNTS_MAX = 50;

export const VoteCase = z
  .object({
    id: z.string().describe('`vca_` and a ULID.'),
    project: ProjectReference,
    state: VoteCaseState.describe('The votes of a `held` case do not count; those of the others do.'),
    opened_at: Timestamp,
    decided_at: Timestamp.nullable().describe('The last decision; null for an open case.'),
    note: z.string().nullable().describe('The remark of the last decision.'),
    votes: z.int().min(0).describe('The number of votes in the case.'),
    signals: z.array(
      z.object({
        name: VoteSignal,
        count: z.int().min(0).describe('The votes in the case with this signal.'),
        explanation: z.string(),
      }),
    ),
    accounts: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          joined_at: Timestamp,
          voted_at: Timestamp,
          signals: z.array(VoteSignal),
        }),
      )
      .describe(`The first ${CASE_ACCOUNTS_MAX} accounts, by time of their vote.`),
  })
  .meta({ id: 'VoteCase' });
export type VoteCase = z.infer<typeof VoteCase>;

const forReview = { ...forStaff('moderation'), feature: 'vote_review' } as const;

export const list = defineRoute('voteCases.list', {
  ...forReview,
  method: 'GET',
  path: '/api/admin/vote-cases',
  summary: 'List the cases of conspicuous votes',
  description: 'Newest first. Moderators and API keys do not see cases about their own listings.',
  query: z.object({
    state: VoteCaseState.optional().describe('Only cases in this state; all by default.'),
    ...paging(40),
  }),
  responses: { 200: page(VoteCase) },
  permissions: ['table:get', 'table:query', 'table:collection', 'table:feed'],
});

export const read = defineRoute('voteCases.read', {
  ...forReview,
  method: 'GET',
  path: '/api/admin/vote-cases/{case}',
  summary: 'Read a case of conspicuous votes',
  description: 'With its signals and the first accounts. 403 for moderators and API keys who own the listing.',
  responses: { 200: data(VoteCase) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:feed'],
});

const decision = {
  ...forReview,
  method: 'POST',
  responses: { 200: data(VoteCase), 202: data(VoteCase) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'table:feed'],
  writes: ['projects', 'events'],
} as const;

const DecisionBody = z
  .object({ note: optionalText(1000).optional().describe('A remark for the staff.') })
  .meta({ id: 'VoteCaseDecision' });

export const hold = defineRoute('voteCases.hold', {
  ...decision,
  path: '/api/admin/vote-cases/{case}/hold',
  summary: 'Take the votes of a case out of the count',
  description:
    'A held vote counts in no order; its voter still reads `upvoted: true`. Without effect on a held case. 202 while the rest of a large case continues in the background.',
  body: DecisionBody.optional(),
});

export const release = defineRoute('voteCases.release', {
  ...decision,
  path: '/api/admin/vote-cases/{case}/release',
  summary: 'Count the votes of a case',
  description:
    'Counts held votes again, or closes an open case. Without effect on a released case. 202 while the rest of a large case continues in the background.',
  body: DecisionBody.optional(),
});
