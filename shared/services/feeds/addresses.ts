import { environment } from '#platform/environment.ts';

/** The address of a page or file of the site. @param path begins with a slash; with a query if it has one. */
export const addressOf = (path: string): string => `${environment().siteUrl}${path}`;

/** The address of the page of a listing. Slugs need no escape. */
export const listingAddress = (slug: string): string => addressOf(`/projects/${slug}`);
