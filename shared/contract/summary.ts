import * as z from 'zod';
import { data, Timestamp } from './fields.ts';
import { defineRoute, forStaff } from './route.ts';

const Count = z.int().min(0);

/** What waits for the staff, and the size of the directory. */
export const Summary = z
  .object({
    pending: Count.describe('Projects that wait for moderation.'),
    scheduled: Count.describe('Approved projects that become public later.'),
    revisions_pending: Count.describe('Edits of live projects that wait for approval.'),
    reports_open: Count.describe('Open reports of projects.'),
    vote_cases_open: Count.optional().describe(
      'Open cases of conspicuous votes; absent while the feature `vote_review` is off.',
    ),
    claims_open: Count.optional().describe(
      'Claims of listings that wait for their proof or for a decision; absent while the feature `claims` is off.',
    ),
    promotions_waiting: Count.describe(
      'Paid promotions that wait for approval; 0 while the feature `promotions` is off.',
    ),
    webhooks_failing: Count.describe(
      'Webhooks without a success since their last failure, disabled ones included; 0 while the feature `webhooks` is off.',
    ),
    dead_letters: Count.describe('Events that a subscriber failed to process.'),
    mails_stopped: Count.describe('Email addresses that get no email after a bounce or a complaint.'),
    oldest_pending_at: Timestamp.nullable().describe(
      'The submission of the oldest project in the queue; null if none waits.',
    ),
    jobs_failed: Count.describe('Jobs whose last run failed or was interrupted.'),
    live: Count.describe('Live projects.'),
    users: Count.describe('Users, without erased ones.'),
  })
  .meta({ id: 'Summary' });
export type Summary = z.infer<typeof Summary>;

export const read = defineRoute('summary.read', {
  method: 'GET',
  path: '/api/admin/summary',
  summary: 'Read the numbers of what is waiting',
  description: 'Exact, about a second old. The cost of a request does not depend on the size of the directory.',
  ...forStaff(),
  responses: { 200: data(Summary) },
  permissions: ['table:get', 'table:query', 'table:collection', 'table:feed', 'catalog'],
});
