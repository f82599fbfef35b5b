/** A service that this one depends on is throttled, unreachable or does not respond; a retry can succeed. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}

const THROTTLING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  // SQS.
  'RequestThrottled',
  'ThrottlingException',
  'ThrottlingError',
]);

/** Whether the name of an SDK error, or a cancellation reason of a transaction, stands for throttling. */
export const isThrottlingName = (name: string | undefined): boolean => name !== undefined && THROTTLING.has(name);

const CONNECTION_ERRORS: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

interface SdkError extends Error {
  readonly code?: unknown;
  readonly $fault?: unknown;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** The SDK adds metadata to all errors of its requests. */
const isSdkError = (error: unknown): error is SdkError => error instanceof Error && '$metadata' in error;

/** Whether a transaction was canceled for throttling or concurrent transactions alone, not by a condition. */
const isCanceledByLoad = ({ CancellationReasons: reasons = [] }: SdkError): boolean =>
  reasons.some(({ Code }) => Code === 'TransactionConflict' || isThrottlingName(Code)) &&
  !reasons.some(({ Code }) => Code === 'ConditionalCheckFailed');

/** Whether the connection of a request broke or could not be opened. */
export const isConnectionError = (error: unknown): boolean => isSdkError(error) && CONNECTION_ERRORS.has(error.code);

/** Whether an error means that a dependency is unavailable, rather than that this service is faulty. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Unavailable ||
  // Of several failures each one.
  (error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isUnavailable)) ||
  (isSdkError(error) &&
    (isThrottlingName(error.name) ||
      error.name === 'TimeoutError' ||
      error.name === 'TransactionConflictException' ||
      error.$fault === 'server' ||
      CONNECTION_ERRORS.has(error.code) ||
      isCanceledByLoad(error)));
