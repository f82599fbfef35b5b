/**
 * Every expected failure, and the only place with failure status numbers. `error` is the fixed text of the contract,
 * `code` the stable name that clients branch on.
 */
const FAILURES = {
  INVALID_INPUT: [400, 'Invalid input'],
  INVALID_SIGNATURE: [400, 'Invalid signature'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  FORBIDDEN: [403, 'Forbidden'],
  BANNED: [403, 'Forbidden'],
  EMAIL_UNVERIFIED: [403, 'Forbidden'],
  SCOPE: [403, 'Forbidden'],
  NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  SLUG_TAKEN: [409, 'Conflict'],
  INVALID_TRANSITION: [409, 'Conflict'],
  ALREADY_PREMIUM: [409, 'Conflict'],
  SOLD_OUT: [409, 'Conflict'],
  NOT_LIVE: [409, 'Conflict'],
  CATEGORY_EXISTS: [409, 'Conflict'],
  FIELD_EXISTS: [409, 'Conflict'],
  DUPLICATE_URL: [409, 'Conflict'],
  SELF_CHANGE: [409, 'Conflict'],
  IN_PROGRESS: [409, 'Conflict'],
  CONFLICTING_EDIT: [409, 'Conflict'],
  REVERTED: [409, 'Conflict'],
  LIMIT_REACHED: [409, 'Conflict'],
  CLAIM_OPEN: [409, 'Conflict'],
  NOT_CLAIMABLE: [409, 'Conflict'],
  STALE: [412, 'Precondition failed'],
  PAYLOAD_TOO_LARGE: [413, 'Payload too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  IDEMPOTENCY_MISMATCH: [422, 'Unprocessable'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Internal error'],
  PAYMENTS_UNAVAILABLE: [503, 'Unavailable'],
  AI_UNAVAILABLE: [503, 'Unavailable'],
  UNAVAILABLE: [503, 'Unavailable'],
  UNHEALTHY: [503, 'Unavailable'],
  TIMEOUT: [504, 'Gateway timeout'],
} as const satisfies Record<string, readonly [status: number, error: string]>;

/** The stable name of a failure, sent as `code`. */
export type ErrorCode = keyof typeof FAILURES;

export type FailureStatus = (typeof FAILURES)[ErrorCode][0];

/** All codes, in the order of their status. */
export const errorCodes = Object.keys(FAILURES) as ErrorCode[];

export const statusOf = (code: ErrorCode): number => FAILURES[code][0];

/** Whether a status is a client error (4xx). */
export const isRefusal = (status: number): boolean => status >= 400 && status < 500;

export const textOf = (code: ErrorCode): string => FAILURES[code][1];

/**
 * Per-field messages of a 400, one per field: each level may hold `_errors`, fields and array indexes nest below it.
 * @example { categories: { 0: { _errors: ['unknown category'] }, _errors: [] }, _errors: [] }
 */
export interface FieldErrors {
  _errors: string[];
  [field: string]: FieldErrors | string[];
}

/** A failure that is returned to the caller. Every other error becomes `INTERNAL`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** Extra members of the body, such as `details` or `retryAfter`. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, extra: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return statusOf(this.code);
  }

  /** The body of the contract: `{ error, code, … }`. */
  get body(): { error: string; code: ErrorCode } & Record<string, unknown> {
    return { error: textOf(this.code), code: this.code, ...this.extra };
  }
}

/** A failure that a person sees in a browser: its response is a page in place of the body of the contract. */
export class PageError extends AppError {
  readonly page: { readonly text: string; readonly headers: Readonly<Record<string, string>> };

  constructor(code: ErrorCode, page: PageError['page']) {
    super(code);
    this.page = page;
  }
}

/** The resource does not exist, or the caller must not learn that it does. */
export const notFound = (): AppError => new AppError('NOT_FOUND');

/** What was looked up. @throws 404 when there is none. */
export const mustExist = <T>(found: T | undefined): T => {
  if (found === undefined) throw notFound();
  return found;
};

/** The path exists, without this method; the response names the others in `Allow`. */
export const methodNotAllowed = (): AppError => new AppError('METHOD_NOT_ALLOWED');

/** No valid credentials on a route that requires them. */
export const unauthorized = (): AppError => new AppError('UNAUTHORIZED');

/** An authenticated caller without permission. */
export const forbidden = (): AppError => new AppError('FORBIDDEN');

/** A request with an API key whose scopes do not cover it. */
export const outOfScope = (): AppError => new AppError('SCOPE');

export const banned = (reason: string | null): AppError => new AppError('BANNED', reason ? { reason } : {});

/** The request of a user without a verified email address, where the service requires one. */
export const emailUnverified = (): AppError =>
  new AppError('EMAIL_UNVERIFIED', {
    message: 'This needs a verified email address. Verify yours where you sign in, then sign in again.',
  });

/** The request conflicts with the state of the resource. @param message a sentence that explains the conflict. */
export const conflict = (
  code: Extract<
    ErrorCode,
    | 'SLUG_TAKEN'
    | 'INVALID_TRANSITION'
    | 'ALREADY_PREMIUM'
    | 'SOLD_OUT'
    | 'NOT_LIVE'
    | 'CATEGORY_EXISTS'
    | 'FIELD_EXISTS'
    | 'DUPLICATE_URL'
    | 'SELF_CHANGE'
    | 'CONFLICTING_EDIT'
    | 'IN_PROGRESS'
    | 'REVERTED'
    | 'LIMIT_REACHED'
    | 'CLAIM_OPEN'
    | 'NOT_CLAIMABLE'
  >,
  message?: string,
): AppError => new AppError(code, message ? { message } : {});

/** Input that is invalid as a whole, such as malformed JSON; the messages are in `details._errors`. */
export const invalidInput = (...messages: string[]): AppError =>
  new AppError('INVALID_INPUT', { details: { _errors: messages } satisfies FieldErrors });

export interface FieldIssue {
  /** Field names and array indexes; empty for the input as a whole. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The most invalid fields that a response lists. Three bytes of a request can be an invalid entry, whose message takes fifty. */
const LISTED_MAX = 100;

/** Input with invalid fields, of which the first are listed. Of several messages about one field the first is sent. */
export const invalidFields = (issues: readonly FieldIssue[]): AppError => {
  const messages = new Map<string, FieldIssue>();
  for (const issue of issues) {
    const place = JSON.stringify(issue.path.map(String));
    if (!messages.has(place)) messages.set(place, issue);
  }
  const details: FieldErrors = { _errors: [] };
  for (const { path, message } of [...messages.values()].slice(0, LISTED_MAX)) {
    let level = details;
    for (const step of path.map(String)) {
      // A field with the name of the list of messages cannot have a level of its own.
      if (step === '_errors') break;
      // Callers choose some names, which can be those of inherited members.
      if (!Object.hasOwn(level, step)) {
        const value: FieldErrors = { _errors: [] };
        Object.defineProperty(level, step, { value, enumerable: true });
      }
      level = level[step] as FieldErrors;
    }
    if (level._errors.length === 0) level._errors.push(message);
  }
  const more = messages.size - LISTED_MAX;
  if (more > 0 && details._errors.length === 0) details._errors.push(`must be corrected in ${more} more places`);
  return new AppError('INVALID_INPUT', { details });
};

/** One invalid field. @param path field names and array indexes. */
export const invalidField = (path: readonly (string | number)[], message: string): AppError =>
  invalidFields([{ path, message }]);

/** `If-Match` names an older version. */
export const stale = (): AppError => new AppError('STALE');

/** The body is larger than `limitBytes`. */
export const payloadTooLarge = (limitBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', { message: `The limit is ${limitBytes} bytes.` });

/** A record would be larger than an item of the table may be. */
export const recordTooLarge = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', {
    message: 'A record may have at most 400 KB, with what is kept of its earlier values. Shorten it.',
  });

/** The body does not have the route's media type. */
export const unsupportedMediaType = (expected: string): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${expected}.` });

/** The body is encoded in a way that is not supported; API Gateway has the same error for media types of no route. */
export const unsupportedEncoding = (): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Send the body as JSON, as it is or with Content-Encoding: gzip.',
  });

/** The caller is over the limit. @param retryAfter whole seconds until the window ends. */
export const rateLimited = (retryAfter: number): AppError => new AppError('RATE_LIMITED', { retryAfter });

/** The table, the issuer or another dependency is throttled or unreachable. @param retryAfter in seconds. */
export const unavailable = (retryAfter: number): AppError => new AppError('UNAVAILABLE', { retryAfter });

/** The deep health check failed. @param parts the state of each dependency. */
export const unhealthy = (parts: Readonly<Record<string, string>>, checkedAt: string): AppError =>
  new AppError('UNHEALTHY', { parts, checked_at: checkedAt });

export const paymentsUnavailable = (): AppError => new AppError('PAYMENTS_UNAVAILABLE');
