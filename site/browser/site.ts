// The context of components that islands show as the server would.

import { formatsOf, type SiteContext } from '../context.ts';
import { translatorOf } from '../translate.ts';
import { pageUrl } from './api.ts';
import { texts } from './messages.ts';
import type { ShownData } from './page-data.ts';

const { lang, dir } = document.documentElement;

/** The page has the messages that the components show. */
export const siteOf = ({ settings, fields, name }: ShownData): SiteContext => ({
  settings,
  fields,
  name,
  lang,
  dir: dir === 'rtl' ? 'rtl' : 'ltr',
  t: translatorOf(lang, texts as Parameters<typeof translatorOf>[1]),
  href: pageUrl,
  ...formatsOf(lang),
  origin: location.origin,
});
