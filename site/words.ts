import type { Language } from '#contract/languages.ts';
import { formatsOf } from './context.ts';
import { messages } from './messages.ts';
import { translatorOf } from './translate.ts';

const wordsIn = (language: Language) => ({
  lang: language,
  dir: 'ltr' as const,
  t: translatorOf(language, messages[language]),
  ...formatsOf(language),
});

const known = new Map<Language, ReturnType<typeof wordsIn>>();

/** What a page writes in a language: its messages, numbers and dates. Formats take longer to make than to use. */
export const wordsOf = (language: Language): ReturnType<typeof wordsIn> => {
  const words = known.get(language) ?? wordsIn(language);
  known.set(language, words);
  return words;
};
