import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogFilters, CatalogQuery } from '#catalog/types.ts';
import { facetNames } from '#contract/projects.ts';
import { categorySlug, Directory, projectId, sphere } from './listings.ts';

const HELP = `Measures the catalog: every kind of question, one change, building from nothing, memory.

  node bench/catalog/engine.ts [--sizes 5000,50000,500000] [--runs 400] [--seed 1] [--only text]

  --sizes  how many listings, separated by commas (default 5000,50000,500000)
  --runs   measured calls per line (default 400, after a tenth as many to warm up)
  --seed   of the made-up directory (default 1)
  --only   only the lines whose name contains this text

Times are of one call, in milliseconds: the median and the 99th of 100. Parameters such as the category change from call to
call. "Bytes per listing" is all memory that the catalog holds, with every index made, the records and their text included.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '5000,50000,500000' },
    runs: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});

const base: CatalogQuery = {
  scope: { status: 'live', deleted: 'excluded' },
  filters: { searchIn: 'public' },
  sort: 'newest',
  page: 1,
  limit: 40,
};

type Asked = Omit<Partial<CatalogQuery>, 'filters'> & Partial<Omit<CatalogFilters, 'searchIn'>>;

const asked = ({ scope, sort, page, facets, ...filters }: Asked): CatalogQuery => ({
  ...base,
  ...(scope && { scope }),
  ...(sort && { sort }),
  ...(page && { page }),
  ...(facets && { facets }),
  filters: { searchIn: 'public', ...filters },
});

const pricings = ['free', 'freemium', 'paid'] as const;
const at = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

/** The questions; `i` counts the calls, so that no two in a row ask the same. */
const questions: Readonly<Record<string, (i: number, size: number) => CatalogQuery>> = {
  'first page, newest': () => asked({}),
  'first page, by name': () => asked({ sort: 'name' }),
  'page 200': () => asked({ page: 200 }),
  'last page': (_, size) => asked({ page: Math.floor((size * 0.9) / 40) }),
  'middle page': (_, size) => asked({ page: Math.floor((size * 0.45) / 40) }),
  'one category': (i) => asked({ category: [categorySlug(i)] }),
  'category and pricing, by upvotes': (i) =>
    asked({ category: [categorySlug(i)], pricing: at(pricings, i), sort: 'upvotes' }),
  'sphere, by rating, page 3': (i) => asked({ sphere: [sphere(i)], sort: 'rating', page: 3 }),
  'trending, three categories': (i) => asked({ category: [i, i + 1, i + 2].map(categorySlug), sort: 'trending' }),
  'own listings': (i, size) =>
    asked({
      scope: {
        status: 'any',
        deleted: 'excluded',
        ownerId: `9f1c${(i % (size / 4)).toString(16).padStart(8, '0')}-6a77-4a0e-b4f6-3f1f1c8f0a11`,
      },
    }),
  'q common ("platform")': (i) => asked({ q: at(['platform', 'data', 'manage', 'source'], i) }),
  'q in most ("with")': (i) => asked({ q: at(['with', 'your', 'that'], i) }),
  'q two words': (i) => asked({ q: at(['open source', 'for teams', 'data app'], i) }),
  'q rare': (i) => asked({ q: at(['kalomi', 'drapulves', 'vesgraos', '-1a2'], i) }),
  'q absent': (i) => asked({ q: at(['xyzzyx', 'platformq', 'zz top zz'], i) }),
  'q of 3 characters': (i) => asked({ q: at(['ing', 'ter', 'kal'], i) }),
  'q of 2 characters': (i) => asked({ q: at(['to', 'ka', 'qu', '.c'], i) }),
  'q of 1 character': (i) => asked({ q: at(['e', 'k', '-', '9'], i) }),
  'q and category': (i) =>
    asked({ q: at(['platform', 'kalo', 'tool'], i), category: [categorySlug(i)], sort: 'upvotes' }),
  'q in the admin list': (i) =>
    asked({ q: at(['kalo', 'tool', '.io'], i), scope: { status: 'any', deleted: 'included' } }),
  'all facets': () => asked({ facets: facetNames }),
  'all facets, q and category': (i) => asked({ facets: facetNames, q: 'platform', category: [categorySlug(i)] }),
  'bbox of a city': () => asked({ bbox: { west: 13, south: 52, east: 14, north: 53 } }),
  'bbox of a continent': () => asked({ bbox: { west: -10, south: 36, east: 30, north: 60 } }),
  'near, 25 km': () => asked({ near: { latitude: 48.86, longitude: 2.35, radiusKm: 25 } }),
  'near, 5000 km': () => asked({ near: { latitude: 48.86, longitude: 2.35, radiusKm: 5000 } }),
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

const milliseconds = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

interface Line {
  readonly median: number;
  readonly p99: number;
}

const measure = (runs: number, work: (i: number) => unknown): Line => {
  for (let i = 0; i < runs / 10; i += 1) work(i);
  const times = Array.from({ length: runs }, (_, i) => milliseconds(() => work(i))).sort((a, b) => a - b);
  return { median: times[Math.floor(runs / 2)] ?? 0, p99: times[Math.floor(runs * 0.99)] ?? 0 };
};

const shown = (value: number): string => value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 0);

const benchmark = (size: number, runs: number, seed: number, only: string): Map<string, string> => {
  const lines = new Map<string, string>();
  const directory = new Directory(seed);
  const before = memory();
  const catalog = new Catalog();
  const changes = [...directory.changes(size)];
  lines.set('build: take in everything', `${shown(milliseconds(() => catalog.apply(changes)))} once`);
  changes.length = 0;
  lines.set('build: first sorted page', `${shown(milliseconds(() => catalog.query(base)))} once`);
  const texts = milliseconds(() => catalog.query(asked({ q: 'platform' })));
  lines.set('build: first text search', `${shown(texts)} once`);
  lines.set('bytes per listing, public list', ((memory() - before) / size).toFixed(0));

  for (const question of Object.values(questions)) catalog.query(question(0, size));
  catalog.sameUrl('https://example.com');
  catalog.queuePosition(projectId(0));
  for (const sort of ['views', 'rating', 'upvotes', 'name', 'trending'] as const) catalog.query(asked({ sort }));
  lines.set('bytes per listing, every index', ((memory() - before) / size).toFixed(0));

  const line = (name: string, work: (i: number) => unknown) => {
    if (!name.includes(only)) return;
    const { median, p99 } = measure(runs, work);
    lines.set(name, `${shown(median)} / ${shown(p99)}`);
  };
  for (const [name, question] of Object.entries(questions)) line(name, (i) => catalog.query(question(i, size)));
  line('categories with counts', () => catalog.categories());
  line('map feed, 5000 newest', () => catalog.located(5000));
  line('same address', (i) => catalog.sameUrl(catalog.find(projectId(i % size))?.project.url ?? ''));
  line('place in the queue', (i) => catalog.queuePosition(projectId(i % size)));

  let version = 1;
  line('apply: new counters', () => {
    version += 1;
    const id = projectId(directory.below(size));
    catalog.apply([{ kind: 'counts', projectId: id, counts: directory.counts(version) }]);
  });
  line('apply: rewritten project', () => {
    version += 1;
    catalog.apply([{ kind: 'project', project: directory.project(directory.below(size), size, version) }]);
  });
  let fresh = size;
  line('apply: new project', () => {
    catalog.apply([{ kind: 'project', project: directory.project(fresh, size) }]);
    fresh += 1;
  });
  line('apply: removed project', () => {
    fresh -= 1;
    catalog.apply([{ kind: 'projectRemoved', projectId: projectId(fresh) }]);
  });
  return lines;
};

if (options.help) {
  console.log(HELP);
} else {
  const sizes = options.sizes.split(',').map(Number);
  const tables = sizes.map((size) => benchmark(size, Number(options.runs), Number(options.seed), options.only));
  const names = [...new Set(tables.flatMap((table) => [...table.keys()]))];
  const width = Math.max(...names.map((name) => name.length));
  console.log(
    `${'median / p99 in ms'.padEnd(width)}  ${sizes.map((size) => size.toLocaleString('en').padStart(17)).join('')}`,
  );
  for (const name of names) {
    console.log(`${name.padEnd(width)}  ${tables.map((table) => (table.get(name) ?? '').padStart(17)).join('')}`);
  }
}
