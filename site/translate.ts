import { IntlMessageFormat } from 'intl-messageformat';
import type english from './messages/en.json';

/** The key of a message. */
export type MessageKey = keyof typeof english;

export type Messages = Readonly<Record<MessageKey, string>>;

type Values = Readonly<Record<string, string | number>>;

/** The message of a key in the language of a page. */
export interface Translate {
  (key: MessageKey, values?: Values): string;
  /** The message as it is written, for islands: they replace the values' names in braces. */
  readonly raw: (key: MessageKey) => string;
}

/** Compiled at their first use: parsing a message takes longer than formatting it. */
export const translatorOf = (language: string, messages: Messages): Translate => {
  const compiled = new Map<MessageKey, IntlMessageFormat>();
  const translate = (key: MessageKey, values?: Values): string => {
    const text = messages[key];
    if (!text.includes('{')) return text;
    const format = compiled.get(key) ?? new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
    compiled.set(key, format);
    return String(format.format({ ...values }));
  };
  return Object.assign(translate, { raw: (key: MessageKey) => messages[key] });
};
