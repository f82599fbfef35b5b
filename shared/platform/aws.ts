/** How long a connection may take, at least. A busy process notices a connection late. */
const CONNECTION_TIMEOUT_MIN_MS = 1000;

/** A client that is created at its first use: a function loads many modules, and most runs use few of them. */
export const lazily = <T>(create: () => T): (() => T) => {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
};

/** The maximum of attempts that the SDK makes by default. */
const ATTEMPTS_MAX = 3;

/**
 * The settings of an AWS client. Without timeouts, a request to a service that does not respond never ends.
 * @param requestTimeout of one attempt, in milliseconds.
 * @param maxAttempts with the pauses of the SDK between them.
 */
export const clientSettings = (requestTimeout: number, maxAttempts = ATTEMPTS_MAX) => ({
  maxAttempts,
  retryMode: 'standard',
  requestHandler: {
    requestTimeout,
    connectionTimeout: Math.max(CONNECTION_TIMEOUT_MIN_MS, requestTimeout / 5),
    throwOnRequestTimeout: true,
  },
});
