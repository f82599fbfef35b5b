import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import type { CatalogFilters, CatalogQuery } from '#catalog/types.ts';
import { facetNames } from '#contract/projects.ts';
import { categorySlug, Directory, projectId, sphere } from './listings.ts';

const HELP = `Measures the catalog: every kind of query, single changes, building it, memory.

  node bench/catalog/engine.ts [--sizes 5000,50000,500000] [--runs 400] [--seed 1] [--only text]

  --sizes  numbers of listings, separated by commas (default 5000,50000,500000)
  --runs   measured calls per line (default 400, after a warm-up of a tenth as many)
  --seed   of the generated directory (default 1)
  --only   only the lines whose name contains this text

Times are per call, in milliseconds: median and 99th percentile; "build" happens once per process. Parameters such as the
category change from call to call. Texts are folded before the first search, in steps between which other requests are
served, and the first searches build the index. "Bytes per listing" is all memory held by the catalog, including the records and their texts. "growth" is the ratio
to the median of the previous size.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '5000,50000,500000' },
    runs: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});

const firstPage: CatalogQuery = {
  scope: { status: 'live', deleted: 'excluded' },
  filters: { searchIn: 'public' },
  sort: 'newest',
  page: 1,
  limit: 40,
};

type QueryOptions = Omit<Partial<CatalogQuery>, 'filters'> & Partial<CatalogFilters>;

const queryWith = ({ scope, sort, page, facets, ...filters }: QueryOptions): CatalogQuery => ({
  ...firstPage,
  ...(scope && { scope }),
  ...(sort && { sort }),
  ...(page && { page }),
  ...(facets && { facets }),
  filters: { searchIn: 'public', ...filters },
});

const pricings = ['free', 'freemium', 'paid'] as const;
const at = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

/** The kinds of query; `i` counts the calls, so that successive calls differ. */
const queries: Readonly<Record<string, (i: number, size: number) => CatalogQuery>> = {
  'first page, newest': () => queryWith({}),
  'first page, by name': () => queryWith({ sort: 'name' }),
  'page 200': () => queryWith({ page: 200 }),
  'last page': (_, size) => queryWith({ page: Math.floor((size * 0.9) / 40) }),
  'middle page': (_, size) => queryWith({ page: Math.floor((size * 0.45) / 40) }),
  'one category': (i) => queryWith({ category: [categorySlug(i)] }),
  'category and pricing, by upvotes': (i) =>
    queryWith({ category: [categorySlug(i)], pricing: at(pricings, i), sort: 'upvotes' }),
  'sphere, by rating, page 3': (i) => queryWith({ sphere: [sphere(i)], sort: 'rating', page: 3 }),
  'trending, three categories': (i) => queryWith({ category: [i, i + 1, i + 2].map(categorySlug), sort: 'trending' }),
  'own listings': (i, size) =>
    queryWith({
      scope: {
        status: 'any',
        deleted: 'excluded',
        ownerId: `9f1c${(i % (size / 4)).toString(16).padStart(8, '0')}-6a77-4a0e-b4f6-3f1f1c8f0a11`,
      },
    }),
  'q common ("platform")': (i) => queryWith({ q: at(['platform', 'data', 'manage', 'source'], i) }),
  'q in most ("with")': (i) => queryWith({ q: at(['with', 'your', 'that'], i) }),
  'q two words': (i) => queryWith({ q: at(['open source', 'for teams', 'data app'], i) }),
  'q rare': (i) => queryWith({ q: at(['kalomi', 'drapulves', 'vesgraos', '-1a2'], i) }),
  'q absent': (i) => queryWith({ q: at(['xyzzyx', 'platformq', 'zz top zz'], i) }),
  'q of 3 characters': (i) => queryWith({ q: at(['ing', 'ter', 'kal'], i) }),
  'q of 2 characters': (i) => queryWith({ q: at(['to', 'ka', 'qu', '.c'], i) }),
  'q of 1 character': (i) => queryWith({ q: at(['e', 'k', '-', '9'], i) }),
  'q and category': (i) =>
    queryWith({ q: at(['platform', 'kalo', 'tool'], i), category: [categorySlug(i)], sort: 'upvotes' }),
  'q in the admin list': (i) =>
    queryWith({ q: at(['kalo', 'tool', '.io'], i), searchIn: 'admin', scope: { status: 'any', deleted: 'included' } }),
  'all facets': () => queryWith({ facets: facetNames }),
  'all facets, q and category': (i) => queryWith({ facets: facetNames, q: 'platform', category: [categorySlug(i)] }),
  'bbox of a city': () => queryWith({ bbox: { west: 13, south: 52, east: 14, north: 53 } }),
  'bbox of a continent': () => queryWith({ bbox: { west: -10, south: 36, east: 30, north: 60 } }),
  'near, 25 km': () => queryWith({ near: { latitude: 48.86, longitude: 2.35, radiusKm: 25 } }),
  'near, 5000 km': () => queryWith({ near: { latitude: 48.86, longitude: 2.35, radiusKm: 5000 } }),
};

const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

const memory = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** How many listings a search adds to the index, until it is complete. */
const INDEXED_PER_SEARCH = 2048;

const milliseconds = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

/** One figure of the table: milliseconds if it has a `p99`, else in the unit of its line. */
interface Figure {
  readonly median: number;
  readonly p99?: number;
}

const measure = (runs: number, work: (i: number) => unknown): Figure => {
  for (let i = 0; i < runs / 10; i += 1) work(i);
  const times = Array.from({ length: runs }, (_, i) => milliseconds(() => work(i))).sort((a, b) => a - b);
  return { median: times[Math.floor(runs / 2)] ?? 0, p99: times[Math.floor(runs * 0.99)] ?? 0 };
};

const benchmark = (size: number, runs: number, seed: number, only: string): Map<string, Figure> => {
  const figures = new Map<string, Figure>();
  const recordOnce = (name: string, median: number) => figures.set(name, { median });
  const directory = new Directory(seed);
  const before = memory();
  const catalog = new Catalog();
  const changes = [...directory.changes(size)];
  recordOnce(
    'build: apply all changes',
    milliseconds(() => catalog.apply(changes)),
  );
  changes.length = 0;
  recordOnce('bytes per listing, records and postings', (memory() - before) / size);
  recordOnce(
    'build: first sorted page',
    milliseconds(() => catalog.query(firstPage)),
  );
  for (const [kind, q] of [
    ['text', 'platform'],
    ['2-character', 'to'],
  ] as const) {
    const steps: number[] = [];
    for (let isReady = false; !isReady; ) {
      steps.push(
        milliseconds(() => {
          isReady = catalog.prepareSearch({ q, searchIn: 'public' });
        }),
      );
    }
    const searches = Array.from({ length: Math.ceil(size / INDEXED_PER_SEARCH) }, () =>
      milliseconds(() => catalog.query(queryWith({ q }))),
    );
    recordOnce(
      `build: first ${kind} search`,
      steps.reduce((sum, step) => sum + step, searches[0] ?? 0),
    );
    recordOnce(`build: first ${kind} search, longest step`, Math.max(...steps, searches[0] ?? 0));
    recordOnce(`build: ${kind} searches until the index is complete, longest`, Math.max(...searches));
    recordOnce(
      `build: ${kind} searches until the index is complete, mean`,
      searches.reduce((sum, search) => sum + search, 0) / searches.length,
    );
    if (kind === 'text') recordOnce('bytes per listing, text search', (memory() - before) / size);
  }
  for (const sort of ['views', 'rating', 'upvotes', 'name', 'trending'] as const) catalog.query(queryWith({ sort }));
  catalog.query(queryWith({ near: { latitude: 0, longitude: 0, radiusKm: 1 } }));
  recordOnce('bytes per listing, the public list', (memory() - before) / size);
  for (const query of Object.values(queries)) catalog.query(query(0, size));
  catalog.sameUrl('https://example.com');
  catalog.queuePosition(projectId(0));
  [...catalog.all()].length = 0;
  recordOnce('bytes per listing, every index of lists', (memory() - before) / size);
  const steps: number[] = [];
  for (let isReady = false; !isReady; ) {
    steps.push(
      milliseconds(() => {
        isReady = catalog.prepareSimilar();
      }),
    );
  }
  recordOnce(
    'build: similar listings, all steps',
    steps.reduce((sum, step) => sum + step, 0),
  );
  recordOnce('build: similar listings, longest step', Math.max(...steps));
  recordOnce('bytes per listing, similar listings too', (memory() - before) / size);

  let packed = Buffer.alloc(0);
  recordOnce(
    'snapshot: write and compress',
    milliseconds(() => {
      packed = zstdCompressSync(writeSnapshot(catalog.contents()));
    }),
  );
  recordOnce('snapshot: bytes per listing', packed.length / size);
  recordOnce(
    'snapshot: load, and the first page',
    milliseconds(() => Catalog.of(readSnapshot(zstdDecompressSync(packed))).query(firstPage)),
  );

  const measureLine = (name: string, work: (i: number) => unknown) => {
    if (name.includes(only)) figures.set(name, measure(runs, work));
  };
  for (const [name, query] of Object.entries(queries)) measureLine(name, (i) => catalog.query(query(i, size)));
  measureLine('categories with counts', () => catalog.categories());
  measureLine('map feed, 5000 newest', () => catalog.located(5000));
  measureLine('same URL', (i) => catalog.sameUrl(catalog.find(projectId(i % size))?.project.url ?? ''));
  measureLine('similar listings', (i) => {
    const project = catalog.find(projectId((i * 37) % size))?.project;
    return project && catalog.similar(project, 10);
  });
  measureLine('position in the queue', (i) => catalog.queuePosition(projectId(i % size)));

  let version = 1;
  measureLine('apply: new counters', () => {
    version += 1;
    const id = projectId(directory.below(size));
    catalog.apply([{ kind: 'counts', projectId: id, counts: directory.counts(version) }]);
  });
  measureLine('apply: rewritten project', () => {
    version += 1;
    catalog.apply([{ kind: 'project', project: directory.project(directory.below(size), size, version) }]);
  });
  let fresh = size;
  measureLine('apply: new project', () => {
    catalog.apply([{ kind: 'project', project: directory.project(fresh, size) }]);
    fresh += 1;
  });
  measureLine('apply: removed project', () => {
    fresh -= 1;
    catalog.apply([{ kind: 'projectRemoved', projectId: projectId(fresh) }]);
  });
  return figures;
};

const formatted = (value: number): string => value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 0);

const cell = (figure: Figure | undefined): string => {
  if (!figure) return '';
  return figure.p99 === undefined ? formatted(figure.median) : `${formatted(figure.median)} / ${formatted(figure.p99)}`;
};

/** The ratio to the median of the previous size. */
const growth = (figure: Figure | undefined, before: Figure | undefined): string =>
  figure && before ? `×${(figure.median / before.median).toFixed(1)}` : '';

if (options.help) {
  console.log(HELP);
} else {
  const sizes = options.sizes.split(',').map(Number);
  const tables = sizes.map((size) => benchmark(size, Number(options.runs), Number(options.seed), options.only));
  const names = [...new Set(tables.flatMap((table) => [...table.keys()]))];
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, cells: readonly string[]) => console.log(`${name.padEnd(width)}${cells.join('')}`);
  row(
    'ms: median / 99th percentile',
    sizes.map((size, i) => size.toLocaleString('en').padStart(17) + (i > 0 ? 'growth'.padStart(8) : '')),
  );
  for (const name of names) {
    row(
      name,
      tables.map((table, i) => {
        const figure = table.get(name);
        const grown = i > 0 ? growth(figure, tables[i - 1]?.get(name)).padStart(8) : '';
        return cell(figure).padStart(17) + grown;
      }),
    );
  }
}
