import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Field } from '#contract/custom-fields.ts';
import type { Language } from '#contract/languages.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { DAY_MS } from '#model/days.ts';
import type { Translate } from './translate.ts';

/** What the components of a page need beside their properties. They run in browsers as well. */
export interface SiteContext {
  readonly settings: Pick<SiteSettings, 'features' | 'layout' | 'limits' | 'plans' | 'site'>;
  /** The definitions of further fields that everyone may read, in their order. */
  readonly fields: readonly Field[];
  readonly name: string;
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly t: Translate;
  /** The address of a page from its path within the site, in the language of this page. */
  readonly href: (path: string) => string;
  readonly number: (value: number) => string;
  readonly date: (iso: string) => string;
  /** The name of a day; 0 is Monday. */
  readonly weekday: (index: number) => string;
  /** The origin whose images may be shown beside those of https. */
  readonly origin: string;
}

/** The first Monday of 2024, in milliseconds. */
const MONDAY = Date.UTC(2024, 0, 1);

/** Numbers, days and the names of weekdays in a language. */
export const formatsOf = (lang: string): Pick<SiteContext, 'number' | 'date' | 'weekday'> => {
  const numbers = new Intl.NumberFormat(lang);
  const dates = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' });
  const weekdays = new Intl.DateTimeFormat(lang, { weekday: 'long', timeZone: 'UTC' });
  return {
    number: (value) => numbers.format(value),
    date: (iso) => dates.format(new Date(iso)),
    weekday: (index) => weekdays.format(MONDAY + index * DAY_MS),
  };
};

const Context = createContext<SiteContext | undefined>(undefined);

/** The page in a language. */
export interface Translation {
  readonly lang: Language;
  /** Its address from its path within the site. */
  readonly href: (path: string) => string;
  /** The same with the origin. */
  readonly address: (path: string) => string;
}

/** The context of a page on the server. */
export interface PageContext extends SiteContext {
  readonly lang: Language;
  readonly settings: SiteSettings;
  /** The path and query of this page within the site. */
  readonly here: string;
  /** The whole address of a page from its path within the site, in the language of this page. */
  readonly address: (path: string) => string;
  /** In the order of the settings: the first one is the default. */
  readonly translations: readonly Translation[];
  /** The address of what is no page, such as the API, from its path. */
  readonly root: (path: string) => string;
  /** The address of a built file. */
  readonly asset: (name: string) => string;
}

export const SiteProvider = Context.Provider;

export const useSite = (): SiteContext => {
  const site = useContext(Context);
  if (!site) throw new Error('A component is outside of a page.');
  return site;
};
