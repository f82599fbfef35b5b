/** The languages that the pages are written in. */
export const languages = ['en', 'de', 'es', 'fr'] as const;

export type Language = (typeof languages)[number];

export const isLanguage = (text: string): text is Language => languages.some((one) => one === text);

/** The beginnings of the addresses of pages by language, in order; that of the first language is empty. */
export const pagePrefixes = (chosen: readonly Language[] = ['en']): readonly string[] =>
  chosen.map((language, index) => (index === 0 ? '' : `/${language}`));

/** A path in a language: its home page has no slash of its own. */
export const withPrefix = (prefix: string, path: string): string =>
  path === '/' && prefix !== '' ? prefix : `${prefix}${path}`;
