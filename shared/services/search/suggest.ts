import { fold, wordsOf } from '#catalog/folded-text.ts';
import { rangesOf, type Sought } from '#catalog/highlights.ts';
import type { CategoryWithCount, ReadCatalog } from '#catalog/types.ts';
import { matchOf, queryWordsOf } from '#catalog/word-match.ts';
import type { Suggestions, suggest } from '#contract/search.ts';
import { catalogToSearch } from '#data/catalog.ts';
import { environment } from '#platform/environment.ts';
import { popularQueries } from '#services/analytics/searches.ts';

const projectsFor = (directory: ReadCatalog, q: string, limit: number): Suggestions['projects'] => {
  const { entries, search } = directory.query({
    scope: { status: 'live', deleted: 'excluded' },
    filters: { searchIn: 'public', q, match: 'fuzzy', longDescriptions: environment().searchLongDescriptions },
    sort: 'relevance',
    page: 1,
    limit,
    describe: 'highlights',
  });
  return entries.map(({ project: { id, slug, name, logo_url, categories } }) => ({
    id,
    slug,
    name,
    logo_url,
    categories: [...categories],
    ranges: search?.highlights?.[id]?.find(({ field }) => field === 'name')?.ranges ?? [],
  }));
};

/** Whether a name has every word of a search, or contains it when it has none. */
const isFound = (name: string, sought: Sought): boolean => {
  const folded = fold(name);
  if (typeof sought === 'string') return folded.includes(sought);
  const words = wordsOf(folded);
  return sought.every((word) => words.some((text) => matchOf(word, text)));
};

const byListings = (one: CategoryWithCount, other: CategoryWithCount): number =>
  other.projectCount - one.projectCount || (one.category.slug < other.category.slug ? -1 : 1);

const categoriesFor = (directory: ReadCatalog, folded: string, limit: number): Suggestions['categories'] => {
  const words = queryWordsOf(folded, 'words');
  const sought = words.length > 0 ? words : folded;
  return directory
    .categories()
    .filter(({ category }) => isFound(category.name, sought))
    .sort(byListings)
    .slice(0, limit)
    .map(({ category: { slug, name }, projectCount }) => ({
      slug,
      name,
      project_count: projectCount,
      ranges: rangesOf(name, sought),
    }));
};

/** What a search box suggests for a text. */
export const suggestions = async ({ q = '', limit }: typeof suggest.query._zod.output): Promise<Suggestions> => {
  const folded = fold(q).replace(/\s+/g, ' ').trim();
  if (folded === '') return { projects: [], categories: [], queries: [] };
  const { searchLongDescriptions: longDescriptions, features } = environment();
  const [directory, queries] = await Promise.all([
    catalogToSearch({ q, searchIn: 'public', needsWords: true, longDescriptions }),
    features.analytics ? popularQueries() : [],
  ]);
  return {
    projects: projectsFor(directory, q, limit),
    categories: categoriesFor(directory, folded, limit),
    queries: queries.filter((one) => one.startsWith(folded)).slice(0, limit),
  };
};
