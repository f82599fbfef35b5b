import type { Attempt } from '#contract/webhooks.ts';

/** What is kept of the request and the response of an attempt. */

const BODY_BYTES_MAX = 16 * 1024;
const REDACTED = '[redacted]';

/** The beginning of a text, without a character that the limit cuts. */
const beginningOf = (text: string): string => {
  const bytes = Buffer.from(text);
  return bytes.length <= BODY_BYTES_MAX
    ? text
    : new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_MAX), { stream: true });
};

/** How a receiver may repeat a value: as it is, in JSON with escaped slashes, in a query string. */
const formsOf = (value: string): readonly string[] => [value, value.replaceAll('/', '\\/'), encodeURIComponent(value)];

/** The request without its signatures. */
export const requestRecord = (headers: Readonly<Record<string, string>>, body: string): Attempt['request'] => ({
  headers: { ...headers, 'webhook-signature': REDACTED },
  body: beginningOf(body),
});

/** The response, in which a receiver may repeat what it was sent. @param confidential secrets and signatures, with prefixes. */
export const responseRecord = (response: string | null, confidential: readonly string[]): string | null => {
  if (response === null) return null;
  // Also without the prefixes `whsec_` and `v1,`, which a receiver may omit.
  const values = confidential.flatMap((value) => [value, value.replace(/^(?:whsec_|v1,)/, '')]).flatMap(formsOf);
  return beginningOf(values.reduce((text, value) => text.replaceAll(value, REDACTED), response));
};
