import type { Language } from '#contract/languages.ts';
import german from './messages/de.json' with { type: 'json' };
import english from './messages/en.json' with { type: 'json' };
import spanish from './messages/es.json' with { type: 'json' };
import french from './messages/fr.json' with { type: 'json' };
import type { MessageKey, Messages } from './translate.ts';

export const messageKeys = Object.keys(english) as readonly MessageKey[];

export const messages: Readonly<Record<Language, Messages>> = { en: english, de: german, es: spanish, fr: french };

/** The names of the languages in themselves. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
};
