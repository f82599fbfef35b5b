const CONNECTION_TIMEOUT_MS = 1000;

/**
 * The request handler of an AWS client. Without one, a request to a service that does not respond never ends.
 * @param requestTimeout of one attempt, in milliseconds; the SDK repeats it.
 */
export const requestHandler = (requestTimeout: number) => ({
  requestTimeout,
  connectionTimeout: CONNECTION_TIMEOUT_MS,
  throwOnRequestTimeout: true,
});
