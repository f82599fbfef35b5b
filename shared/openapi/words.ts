import type { ErrorCode } from '#shared/errors.ts';

/** What the reference says of each domain; the first part of a route's id names it. */
export const domains: Readonly<Record<string, string>> = {
  projects: 'The listings: submitting, browsing, moderating, moving them in and out.',
  votes: 'Upvotes, one per user and project.',
  comments: 'What users say about a project.',
  ratings: 'One to five, one per user and project.',
  categories: 'What listings are filed under, grouped in spheres.',
  reports: 'What users find wrong with a project.',
  users: 'Profiles, preferences and their administration.',
  payments: 'Checkouts and the ledger.',
  promotions: 'Paid placements of a project.',
  settings: 'How the site looks, and what a front end needs to know.',
  analytics: 'Counting visits without following visitors.',
  ai: 'Text written by a model.',
  webhooks: 'Telling other systems what happened, and hearing from the payment provider.',
  events: 'The ledger of everything that happened.',
  audit: 'Who changed what.',
  cron: 'Jobs that a schedule runs.',
  health: 'Whether the service is alive.',
  reference: 'This description.',
};

/** What each path variable stands for. One name stands for one thing everywhere. */
export const pathVariables: Readonly<Record<string, string>> = {
  project: "A project's id, slug or earlier slug.",
  category: "A category's id or slug.",
  comment: "A comment's id.",
  report: "A report's id.",
  user: "A user's id: the identity provider's subject.",
  checkout: "A checkout's id.",
  promotion: "A promotion's id.",
  webhook: "A webhook's id.",
  delivery: "A delivery's id.",
  event: "An event's id.",
  job: 'The name of a job.',
};

/** What each code means to the caller. */
export const codeSentences: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: 'A parameter or the body is wrong; `details` says where.',
  INVALID_SIGNATURE: 'The signature is missing, wrong or too old.',
  UNAUTHORIZED: 'No credential, or one that does not hold.',
  FORBIDDEN: 'The caller may not do this.',
  BANNED: 'The caller is banned from writing.',
  NOT_FOUND: 'There is no such thing, or none that the caller may see.',
  SLUG_TAKEN: 'The slug belongs to another project or is reserved.',
  INVALID_TRANSITION: 'The project is not in a state from which this is possible.',
  ALREADY_PREMIUM: 'The project has the premium plan already.',
  SOLD_OUT: 'No place is free in that period.',
  CATEGORY_EXISTS: 'Another category has this slug.',
  DUPLICATE_URL: 'Another project has this address.',
  SELF_CHANGE: 'Administrators cannot revoke or ban themselves.',
  IN_PROGRESS: 'The first request with this `Idempotency-Key` is still running.',
  STALE: 'The thing has changed since the tag in `If-Match` was given out.',
  PAYLOAD_TOO_LARGE: 'The body is larger than the limit that `message` names.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not of the type that the route takes.',
  IDEMPOTENCY_MISMATCH: 'This `Idempotency-Key` was used with another body.',
  RATE_LIMITED: "The caller's quota is used up for `retryAfter` more seconds.",
  INTERNAL: 'The service is at fault; quote `request_id` when asking for help.',
  PAYMENTS_UNAVAILABLE: 'The payment provider is not configured or does not answer.',
  AI_UNAVAILABLE: 'The model is not configured or does not answer.',
  UNHEALTHY: 'A part of the service does not answer; `parts` says which.',
  TIMEOUT: 'The work took too long and may or may not have been done.',
};

/** The opening words of the reference. */
export const introduction = [
  'A directory of listings, called projects, that users submit, browse, upvote, comment on and rate, and that administrators moderate and configure.',
  'Success answers `{ "data": … }`, paged lists add `meta`; failure answers `{ "error", "code", … }`, and programs branch on `code`.',
  'Times are ISO 8601 in UTC with milliseconds. Unknown query parameters and body members are ignored.',
  'Checks come in one order on every route: feature flag (404), rate limit (429), identity (401), permission (403), input (413, 415, 400), preconditions (422, 412), then the work.',
].join('\n\n');
