/** The colours of placeholders in the style sheet. */
const HUES = 12;

/** A number that is the same for the same name, from 0. */
export const hueOf = (name: string): number => {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash % HUES;
};

/** The first letters of the first two words. */
export const initialsOf = (name: string): string =>
  name
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();

/** The address of an image, if pages may show it: the policy of the pages permits https and the own origin. */
export const shownImage = (url: string | null, origin: string): string | undefined =>
  url !== null && (url.startsWith('https:') || url.startsWith(`${origin}/`)) ? url : undefined;
