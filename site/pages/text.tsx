import { type SiteText, siteTexts } from '#contract/settings.ts';
import { notFound } from '#shared/errors.ts';
import { ownHtmlOf } from '../markdown.ts';
import type { LoadPage, Page, PageRequest } from '../page.ts';
import { breadcrumbs } from '../structured-data.ts';

export const textPath = (name: SiteText): string => (name === 'about' ? '/about' : `/legal/${name}`);

/** A text of the administrators. @throws 404 while it is empty. */
const textPageOf = (name: SiteText, { site }: PageRequest): Page => {
  const text = site.settings.site?.texts[name] ?? '';
  if (text === '') throw notFound();
  const title = site.t(`footer.${name}`);
  return {
    title,
    description: site.t('text.description', { title, name: site.name }),
    canonical: textPath(name),
    structuredData: [breadcrumbs(site, [[title, textPath(name)]])],
    body: (
      <article class="width page text-page">
        <h1>{title}</h1>
        <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: ownHtmlOf(text) }} />
      </article>
    ),
  };
};

export const aboutPage: LoadPage = async (request) => textPageOf('about', request);

/** @throws 404 for a text that does not exist. */
export const legalPage: LoadPage = async (request) => {
  const name = siteTexts.find((one) => one !== 'about' && one === request.params.text);
  if (name === undefined) throw notFound();
  return textPageOf(name, request);
};
