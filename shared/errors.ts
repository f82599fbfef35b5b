/**
 * Every error the service answers with on purpose, and the only place with status numbers for failures.
 * `error` is the fixed text of the contract, `code` the stable name that clients branch on.
 */
const FAILURES = {
  INVALID_INPUT: [400, 'Invalid input'],
  INVALID_SIGNATURE: [400, 'Invalid signature'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  FORBIDDEN: [403, 'Forbidden'],
  BANNED: [403, 'Forbidden'],
  NOT_FOUND: [404, 'Not found'],
  SLUG_TAKEN: [409, 'Conflict'],
  INVALID_TRANSITION: [409, 'Conflict'],
  ALREADY_PREMIUM: [409, 'Conflict'],
  SOLD_OUT: [409, 'Conflict'],
  CATEGORY_EXISTS: [409, 'Conflict'],
  DUPLICATE_URL: [409, 'Conflict'],
  SELF_CHANGE: [409, 'Conflict'],
  IN_PROGRESS: [409, 'Conflict'],
  STALE: [412, 'Precondition failed'],
  PAYLOAD_TOO_LARGE: [413, 'Payload too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  IDEMPOTENCY_MISMATCH: [422, 'Unprocessable'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Internal error'],
  PAYMENTS_UNAVAILABLE: [503, 'Unavailable'],
  AI_UNAVAILABLE: [503, 'Unavailable'],
  UNHEALTHY: [503, 'Unavailable'],
  TIMEOUT: [504, 'Timeout'],
} as const satisfies Record<string, readonly [status: number, error: string]>;

/** The stable name of a failure, sent as `code`. */
export type ErrorCode = keyof typeof FAILURES;

/** Every status that a failure can have. */
export type FailureStatus = (typeof FAILURES)[ErrorCode][0];

/** All codes, in the order of their status. */
export const errorCodes = Object.keys(FAILURES) as ErrorCode[];

/** The HTTP status that a code is answered with. */
export const statusOf = (code: ErrorCode): number => FAILURES[code][0];

/** Whether a status says that the caller was refused, as opposed to served or let down. */
export const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/** The fixed text that a code is answered with. */
export const textOf = (code: ErrorCode): string => FAILURES[code][1];

/**
 * Per-field messages of a 400: each level may hold `_errors`, fields and array indexes nest below it.
 * @example { categories: { 0: { _errors: ['unknown category'] }, _errors: [] }, _errors: [] }
 */
export interface FieldErrors {
  _errors: string[];
  [field: string]: FieldErrors | string[];
}

/** A failure that the caller is told about. Anything else that is thrown is answered as `INTERNAL`. */
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

/** The thing does not exist, or the caller may not know that it does. */
export const notFound = (): AppError => new AppError('NOT_FOUND');

/** No verified identity on a route that needs one. */
export const unauthorized = (): AppError => new AppError('UNAUTHORIZED');

/** A known caller without the permission. */
export const forbidden = (): AppError => new AppError('FORBIDDEN');

/** A banned user who tried to write. */
export const banned = (reason: string | null): AppError => new AppError('BANNED', reason ? { reason } : {});

/** The request collides with the state of the thing; `message` says in a sentence how. */
export const conflict = (
  code: Extract<
    ErrorCode,
    | 'SLUG_TAKEN'
    | 'INVALID_TRANSITION'
    | 'ALREADY_PREMIUM'
    | 'SOLD_OUT'
    | 'CATEGORY_EXISTS'
    | 'DUPLICATE_URL'
    | 'SELF_CHANGE'
    | 'IN_PROGRESS'
  >,
  message?: string,
): AppError => new AppError(code, message ? { message } : {});

/** Input that is wrong as a whole (malformed JSON): the messages stand at `details._errors`. */
export const invalidInput = (...messages: string[]): AppError =>
  new AppError('INVALID_INPUT', { details: { _errors: messages } satisfies FieldErrors });

/** Input that is wrong in some fields; `details` has the nested `_errors` shape. */
export const invalidFields = (details: FieldErrors): AppError => new AppError('INVALID_INPUT', { details });

/** One wrong field, named by its path; array positions are numbers. */
export const invalidField = (path: readonly (string | number)[], ...messages: string[]): AppError => {
  const details: FieldErrors = { _errors: [] };
  let level = details;
  for (const step of path) {
    const next: FieldErrors = { _errors: [] };
    level[step] = next;
    level = next;
  }
  level._errors.push(...messages);
  return invalidFields(details);
};

/** The caller's `If-Match` names an older version. */
export const stale = (): AppError => new AppError('STALE');

/** The body is larger than `limitBytes`. */
export const payloadTooLarge = (limitBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', { message: `The limit is ${limitBytes} bytes.` });

/** The body is not of the media type that the route takes. */
export const unsupportedMediaType = (expected: string): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${expected}.` });

/** The caller's bucket is empty for `retryAfter` more whole seconds. */
export const rateLimited = (retryAfter: number): AppError => new AppError('RATE_LIMITED', { retryAfter });

/** Something that the service cannot work without does not answer; `parts` says what each of them has said. */
export const unhealthy = (parts: Readonly<Record<string, string>>, checkedAt: string): AppError =>
  new AppError('UNHEALTHY', { parts, checked_at: checkedAt });

/** The payment provider is not configured or does not answer. */
export const paymentsUnavailable = (): AppError => new AppError('PAYMENTS_UNAVAILABLE');
