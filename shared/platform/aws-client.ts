/** How long a connection may take, at least. A busy process notices a connection late. */
const CONNECTION_TIMEOUT_MIN_MS = 1000;

/**
 * The request handler of an AWS client. Without one, a request to a service that does not respond never ends.
 * @param requestTimeout of one attempt, in milliseconds; the SDK repeats it.
 */
export const requestHandler = (requestTimeout: number) => ({
  requestTimeout,
  connectionTimeout: Math.max(CONNECTION_TIMEOUT_MIN_MS, requestTimeout / 5),
  throwOnRequestTimeout: true,
});
