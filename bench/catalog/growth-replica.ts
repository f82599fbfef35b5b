import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CatalogFilters, CatalogQuery, ReadCatalog } from '#catalog/types.ts';
import { facetNames } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { listingFor, mapItem } from '#services/projects/fragments.ts';

/**
 * Loads the catalog as a cold function does and prints its measurements. Started by growth.ts and capacity.ts with the URL of
 * the feed. With `--encode`, every listing is encoded as lists do.
 */

const REFRESHES = 60;

const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

const bytesHeld = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const query = (filters: Omit<CatalogFilters, 'searchIn'>, more: Partial<CatalogQuery> = {}): CatalogQuery => ({
  scope: { status: 'live', deleted: 'excluded' },
  sort: 'newest',
  page: 1,
  limit: 40,
  ...more,
  filters: { searchIn: 'public', ...filters },
});

/** Builds the indexes that the public list of a directory in use needs. */
const runTypicalQueries = (read: ReadCatalog): void => {
  for (const sort of ['newest', 'upvotes', 'rating', 'views', 'name', 'trending'] as const)
    read.query(query({}, { sort }));
  read.query(query({ q: 'platform', category: ['category-1'], pricing: 'paid' }, { facets: facetNames }));
  read.query(query({ q: 'ka', sphere: ['work'] }));
  read.query(query({ bbox: { west: 13, south: 52, east: 14, north: 53 } }));
  read.categories();
};

const before = bytesHeld();
const cpu = process.cpuUsage();
const from = performance.now();
const read = await catalog();
const loadedMs = performance.now() - from;
read.query(query({}));
const firstResponseMs = performance.now() - from;
const { user, system } = process.cpuUsage(cpu);
read.query(query({ q: 'platform' }));
const firstSearchMs = performance.now() - from - firstResponseMs;
const loadedBytes = bytesHeld() - before;
runTypicalQueries(read);
const bytes = bytesHeld() - before;
if (process.argv.includes('--encode')) {
  for (const entry of read.all()) {
    listingFor(entry, undefined);
    if (entry.project.latitude !== null) mapItem(entry);
  }
}

const refreshes: number[] = [];
for (let refresh = 0; refresh < REFRESHES; refresh += 1) {
  const startAndRegister = performance.now();
  await catalog('now');
  refreshes.push(performance.now() - startAndRegister);
}
refreshes.sort((a, b) => a - b);

process.stdout.write(
  `${JSON.stringify({
    loadedMs,
    firstResponseMs,
    cpuMs: (user + system) / 1000,
    firstSearchMs,
    loadedBytes,
    bytes,
    highestBytes: process.resourceUsage().maxRSS * 1024,
    refreshMs: refreshes[REFRESHES / 2],
    size: read.size,
  })}\n`,
);
process.exit(0);
