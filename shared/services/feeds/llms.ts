import { catalog } from '#data/catalog.ts';
import { cachedSettings } from '#data/settings.ts';
import { environment } from '#platform/environment.ts';
import { addressOf } from './addresses.ts';

/** A text in a line of Markdown: without the characters that make links, emphasis, code and HTML of it. */
const inLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|~]/g, '\\$&');

const link = (label: string, path: string, note: string): string => `- [${label}](${addressOf(path)}): ${note}`;

/** The site for language models, in the format of llms.txt. */
export const llmsText = async (): Promise<string> => {
  const { site } = await cachedSettings();
  const current = await catalog();
  const categories = current.categories().filter(({ projectCount }) => projectCount > 0);
  const listings = (count: number): string => `${count} listing${count === 1 ? '' : 's'}`;
  const inCategories = categories.length === 1 ? '1 category' : `${categories.length} categories`;
  const sections = [
    `# ${inLine(site.name)}`,
    `> ${inLine(site.tagline || 'A directory')}: ${listings(current.directoryCounts().live)} in ${inCategories}.`,
    ...(site.description === '' ? [] : [inLine(site.description)]),
    [
      '## Programs',
      '',
      link('API', '/api/openapi.json', 'The OpenAPI document: search, read and submit listings'),
      ...(environment().features.mcp
        ? [link('MCP', '/mcp', 'The same as tools of the Model Context Protocol, over Streamable HTTP')]
        : []),
      link('RSS', '/feed.xml', 'The newest listings; takes the filters of the list'),
      link('Atom', '/atom.xml', 'The same as Atom'),
      link('JSON Feed', '/feed.json', 'The same as JSON Feed'),
      link('Sitemap', '/sitemap.xml', 'All pages'),
    ].join('\n'),
    ...(categories.length === 0
      ? []
      : [
          [
            '## Categories',
            '',
            ...categories.map(({ category, projectCount }) =>
              link(
                inLine(category.name),
                `/categories/${category.slug}`,
                category.description === null
                  ? listings(projectCount)
                  : `${inLine(category.description)} (${listings(projectCount)})`,
              ),
            ),
          ].join('\n'),
        ]),
  ];
  return `${sections.join('\n\n')}\n`;
};
