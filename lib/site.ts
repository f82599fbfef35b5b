import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { geoMercator, geoPath } from 'd3-geo';
import type { BuildOptions } from 'esbuild';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { buildOnce, bundleFiles } from '#lib/bundling/build-once.ts';
import { dist, root } from '#lib/bundling/paths.ts';
import { unusedDeclarations } from '#lib/bundling/unused-declarations.ts';

/** The folder of the built files of the pages. */
export const siteFolder = join(dist, 'site');

/** The names with digests by the names without. */
const manifestPath = join(siteFolder, 'assets.json');

const options = {
  absWorkingDir: root,
  outdir: siteFolder,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2023', 'chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [unusedDeclarations],
  alias: {
    // The build that has its worker in a file of its own: the policy of the pages permits no other.
    'maplibre-gl': 'maplibre-gl/dist/maplibre-gl-csp.js',
    // Browsers do not need what these packages are for: 20 KB.
    entities: './site/browser/character-references.ts',
    '@formatjs/icu-skeleton-parser': './site/browser/no-skeletons.ts',
  },
  tsconfigRaw: {},
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const entryPoints = (): string[] => [
  ...globSync('site/islands/*.ts{,x}', { cwd: root }).filter((file) => !file.endsWith('.d.ts')),
  'site/styles/main.css',
  'node_modules/maplibre-gl/dist/maplibre-gl.css',
];

/** Loaded by MapLibre itself. */
const MAP_WORKER = 'node_modules/maplibre-gl/dist/maplibre-gl-csp-worker.js';

/** Fine enough for the outlines, which have no details of less than a unit. */
const LAND_UNITS = 4096;

/** The land on a square Web Mercator map of the world, as a symbol that pages show a part of. */
const landImage = (): string => {
  const file = join(root, 'node_modules/world-atlas/land-110m.json');
  const world = JSON.parse(readFileSync(file, 'utf8')) as Topology<{ land: GeometryCollection }>;
  const projection = geoMercator()
    .scale(LAND_UNITS / (2 * Math.PI))
    .translate([LAND_UNITS / 2, LAND_UNITS / 2]);
  const outlines = geoPath(projection).digits(0)(feature(world, world.objects.land)) ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="land" viewBox="0 0 ${LAND_UNITS} ${LAND_UNITS}"><path d="${outlines}"/></symbol></svg>`;
};

const write = (name: string, text: string): string => {
  const [stem, extension] = name.split('.');
  const named = `${stem}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.${extension}`;
  writeFileSync(join(siteFolder, named), text);
  return named;
};

/** The files that a build depends on. */
export const siteSources = (): string[] => [
  ...globSync(['site/**/*.*', 'shared/contract/*.ts', 'console/styles/tokens.css'], { cwd: root }),
  'lib/site.ts',
  'package-lock.json',
];

const buildSite = async (): Promise<string> => {
  rmSync(siteFolder, { recursive: true, force: true });
  mkdirSync(siteFolder, { recursive: true });
  const { outputs } = await bundleFiles({ ...options, entryPoints: entryPoints() });
  const built = Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[basename(entryPoint).replace(/\.tsx?$/, '.js'), basename(file)] as const],
  );
  const icon = write('icon.svg', readFileSync(join(root, 'site/icon.svg'), 'utf8'));
  const worker = write('maplibre-worker.js', readFileSync(join(root, MAP_WORKER), 'utf8'));
  const others = [
    ['icon.svg', icon],
    ['land.svg', write('land.svg', landImage())],
    ['maplibre-worker.js', worker],
  ];
  return JSON.stringify(Object.fromEntries([...built, ...others]));
};

/** Builds the scripts and styles of the pages unless the existing build is newer than all of its inputs. */
export const freshSite = async (): Promise<void> => {
  await buildOnce({ name: 'site', manifest: manifestPath, inputs: siteSources, build: buildSite });
};
