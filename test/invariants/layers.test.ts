import { expect, it } from 'vitest';
import { filesIn, importsOf, read } from './sources.ts';

/**
 * The layers of `shared/`, each with the layers that it may import beside itself. Imports point downwards only, types
 * included, so there is no cycle between layers.
 */
const layers = {
  errors: [],
  contract: ['errors'],
  model: ['contract', 'errors'],
  catalog: ['model', 'contract', 'errors'],
  csv: ['model', 'contract', 'errors'],
  openapi: ['contract', 'errors'],
  platform: ['model', 'contract', 'errors'],
  events: ['platform', 'model', 'contract', 'errors'],
  mail: ['events', 'model', 'contract', 'errors'],
  data: ['events', 'platform', 'catalog', 'model', 'contract', 'errors'],
  services: ['mail', 'csv', 'openapi', 'data', 'events', 'platform', 'catalog', 'model', 'contract', 'errors'],
  http: ['services', 'data', 'events', 'platform', 'catalog', 'model', 'contract', 'errors'],
} as const satisfies Record<string, readonly string[]>;

/** Top-level folders outside `shared/`, each with what it must not import. */
const outside: Readonly<Record<string, RegExp>> = {
  shared: /^(?:functions|site|lib|local|test|scripts|bin|bench)\/|^(?:aws-cdk-lib|constructs)(?:\/|$)/,
  functions:
    /^(?:lib|local|test|scripts|bin|bench)\/|^shared\/(?:data|platform|catalog|mail|csv|openapi)\/|^@aws-sdk\//,
  site: /^(?:functions|lib|local|test|scripts|bin|bench|console)\/|^shared\/(?:http|data|catalog|mail|csv|openapi|events)\/|^@aws-sdk\//,
  lib: /^(?:local|test|functions|site|bench)\//,
  bin: /^(?:local|test|functions|bench)\//,
  console:
    /^(?:local|lib|bin|test|functions|bench|scripts)\/|^site\/(?!browser\/)|^shared\/(?!client\.ts$|client\/|contract\/)/,
  local: /^(?:test|bin|bench)\/|^(?:aws-cdk-lib|constructs)(?:\/|$)/,
};

/** Packages that belong to one layer, so that the layers above and below stay free of them. */
const packages: Readonly<Record<string, RegExp>> = {
  errors: /^(?!)/,
  contract: /^zod$/,
  model: /^(?:zod$|node:(?:crypto|url)$|[a-z][\w-]*$)(?<!stripe|ulid)/,
  catalog: /^(?!)/,
  csv: /^(?:chardet|csv-parse|csv-stringify|htmlparser2|zod)(?:\/|$)/,
  mail: /^(?!)/,
  services: /^(?!@aws-sdk|@middy|@smithy|stripe$)/,
  data: /^(?!@middy|stripe$)/,
  http: /^(?!@aws-sdk|stripe$)/,
};

const layerOf = (path: string): string | undefined => /^shared\/([a-z]+)[./]/.exec(path)?.[1];

it.each(Object.entries(layers))('%s imports only layers below it', (layer, below) => {
  const wrong = filesIn(`shared/${layer}.ts`, `shared/${layer}/**/*.ts`).flatMap((file) =>
    importsOf(file).flatMap(({ from }) => {
      const target = layerOf(from);
      const isAllowed = target === undefined || target === layer || (below as readonly string[]).includes(target);
      return isAllowed ? [] : [`${file} imports ${from}`];
    }),
  );
  expect(wrong).toEqual([]);
});

it('no file of shared imports itself through others, types included', () => {
  const imports = new Map(
    filesIn('shared/**/*.ts').map((file) => [file, importsOf(file).map(({ from }) => from)] as const),
  );
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (finished.has(file) || path.includes(file)) return;
    for (const from of imports.get(file) ?? []) visit(from, [...path, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

it('no two domains of services import each other', () => {
  const domainOf = (path: string): string | undefined => /^shared\/services\/([\w-]+)/.exec(path)?.[1];
  const imports = new Set(
    filesIn('shared/services/**/*.ts').flatMap((file) =>
      importsOf(file).map(({ from }) => `${domainOf(file)} ${domainOf(from)}`),
    ),
  );
  const mutual = [...imports].filter((pair) => {
    const [one, other] = pair.split(' ');
    return one !== other && imports.has(`${other} ${one}`);
  });
  expect(mutual).toEqual([]);
});

it('what a file of shared exports, another file uses', () => {
  const files = filesIn('{shared,functions,site,console,lib,bin,local,scripts,bench,test}/**/*.{ts,tsx,mjs}');
  const users = new Map<string, number>();
  for (const file of files) {
    for (const name of new Set(read(file).match(/[\w$]+/g))) users.set(name, (users.get(name) ?? 0) + 1);
  }
  // Other projects use the schemas and the client.
  const own = files.filter((file) => /^shared\/(?!contract\/|client)/.test(file));
  const unused = own.flatMap((file) =>
    [...read(file).matchAll(/^export (?:async )?(?:const|function\*?|class|abstract class|type|interface) (\w+)/gm)]
      .filter(([, name = '']) => users.get(name) === 1)
      .map(([, name]) => `${file} exports ${name}`),
  );
  expect(unused).toEqual([]);
});

it('every folder of shared is a layer', () => {
  const known = [...Object.keys(layers), 'client'];
  const folders = new Set(filesIn('shared/**/*.ts').map((file) => layerOf(file) ?? file));
  expect([...folders].filter((folder) => !known.includes(folder))).toEqual([]);
});

it.each(Object.entries(packages))('%s imports only packages of its own kind', (layer, allowed) => {
  const wrong = filesIn(`shared/${layer}.ts`, `shared/${layer}/**/*.ts`).flatMap((file) =>
    importsOf(file).flatMap(({ from }) =>
      /\.(?:ts|json)$/.test(from) || allowed.test(from) ? [] : [`${file} imports ${from}`],
    ),
  );
  expect(wrong).toEqual([]);
});

it.each(Object.entries(outside))('%s imports nothing that builds on it', (folder, forbidden) => {
  const wrong = filesIn(`${folder}/**/*.{ts,tsx}`).flatMap((file) =>
    importsOf(file).flatMap(({ from }) => (forbidden.test(from) ? [`${file} imports ${from}`] : [])),
  );
  expect(wrong).toEqual([]);
});

it('imports from packages name packages that exist in the manifest', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const shipped = Object.keys(manifest.dependencies);
  const typesOnly = ['aws-lambda'];
  const wrong = filesIn('shared/**/*.ts', 'functions/**/*.ts').flatMap((file) =>
    importsOf(file).flatMap(({ from, typeOnly }) => {
      const isPackage = /^@?[a-z]/.test(from) && !/\.(?:ts|json)$/.test(from) && !from.startsWith('node:');
      const name = from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/');
      return !isPackage || shipped.includes(name) || (typeOnly && typesOnly.includes(name))
        ? []
        : [`${file} imports ${from}`];
    }),
  );
  expect(wrong).toEqual([]);
});
