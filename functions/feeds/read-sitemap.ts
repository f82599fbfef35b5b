import { readSitemap } from '#contract/feeds.ts';
import { handle } from '#http/handle.ts';
import { sitemapIndex, sitemapPart } from '#services/feeds/sitemap.ts';

/** Also handles `feeds.readSitemapIndex`, whose path has no variable. */
export const handler = handle(readSitemap, async ({ params }) => {
  const { file } = params as Partial<Record<'file', string>>;
  return { status: 200 as const, text: file === undefined ? await sitemapIndex() : await sitemapPart(file) };
});
