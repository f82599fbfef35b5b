import type { BreadcrumbList, ItemList, WithContext } from 'schema-dts';
import type { Project } from '#contract/projects.ts';
import { projectPath } from './components/card.tsx';
import type { PageContext } from './context.ts';

/** JSON in a script element: no text can end it, and none is a comment of HTML. */
export const jsonText = (data: object): string =>
  JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');

/** The way from the home page to a page. @param steps names and paths after the home page. */
export const breadcrumbs = (
  { name: siteName, address }: PageContext,
  steps: readonly (readonly [name: string, path: string])[],
): WithContext<BreadcrumbList> => ({
  '@context': 'https://schema.org',
  '@type': 'BreadcrumbList',
  itemListElement: [[siteName, '/'] as const, ...steps].map(([name, path], index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: address(path),
  })),
});

/** One page of a list of listings, with their positions in the whole list. */
export const itemList = (
  projects: readonly Project[],
  { total, page, pageSize }: { readonly total: number; readonly page: number; readonly pageSize: number },
  { address }: PageContext,
): WithContext<ItemList> => ({
  '@context': 'https://schema.org',
  '@type': 'ItemList',
  numberOfItems: total,
  itemListElement: projects.map((project, index) => ({
    '@type': 'ListItem',
    position: (page - 1) * pageSize + index + 1,
    name: project.name,
    url: address(projectPath(project)),
  })),
});
