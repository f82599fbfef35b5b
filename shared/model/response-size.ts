/**
 * The most that the body of a response which is not streamed takes in the value that Lambda returns, in bytes. The limit of the
 * value is 6 MB, with status and headers.
 */
export const RESPONSE_BYTES_MAX = 5_500_000;

/** The most bytes that a character of JSON, or of a text without control characters, takes in a JSON string. */
const CHARACTER_BYTES_MAX = 3;

/** What a body, or a part of one, takes in the JSON string that Lambda returns, in bytes. */
export const bytesInResponse = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Whether a body, or a part of one, takes at most so many bytes there. Few texts are measured. */
export const fitsInResponse = (text: string, bytesMax = RESPONSE_BYTES_MAX): boolean =>
  text.length * CHARACTER_BYTES_MAX <= bytesMax || bytesInResponse(text) <= bytesMax;

/** The position of the first part of a list that does not fit with those before it, with commas between them; -1 when all fit. */
const firstBeyond = (texts: readonly string[], bytesMax: number): number => {
  const characters = texts.reduce((sum, { length }) => sum + length + 1, 0);
  if (characters * CHARACTER_BYTES_MAX <= bytesMax) return -1;
  let bytes = 0;
  return texts.findIndex((text) => {
    bytes += bytesInResponse(text) + 1;
    return bytes > bytesMax;
  });
};

const jsonOf = (part: unknown): string => JSON.stringify(part);

/**
 * The first parts of a list that together fit into a response.
 * @param bytesMax what they may take there, with the commas between them.
 * @param textOf the JSON of a part.
 */
export const firstFitting = <T>(parts: readonly T[], bytesMax: number, textOf: (part: T) => string = jsonOf): T[] => {
  const end = firstBeyond(
    parts.map((part) => textOf(part)),
    bytesMax,
  );
  return end < 0 ? [...parts] : parts.slice(0, end);
};

/** What the items of a list may take. The rest is for members of a few hundred bytes, such as `meta`. */
export const LIST_BYTES_MAX = RESPONSE_BYTES_MAX - 50_000;

/**
 * The parts of a list, of which those that take more than an equal share are shortened when they do not fit into a response
 * together.
 * @param shorten returns a part that takes at most so many bytes.
 * @param bytesMax what they may take there, with the commas between them.
 * @param textOf the JSON of a part.
 */
export const shortenedToFit = <T>(
  parts: readonly T[],
  shorten: (part: T, bytesMax: number) => T,
  bytesMax = LIST_BYTES_MAX,
  textOf: (part: T) => string = jsonOf,
): T[] => {
  const texts = parts.map((part) => textOf(part));
  if (firstBeyond(texts, bytesMax) < 0) return [...parts];
  const share = Math.floor(bytesMax / parts.length) - 1;
  return parts.map((part, at) => (fitsInResponse(texts[at] ?? '', share) ? part : shorten(part, share)));
};
