import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { bundleOptions } from '#lib/bundle.ts';
import { type HandlerFile, handlerFiles } from '#lib/handlers.ts';
import { longTest } from '#test/support/long-test.ts';
import { misplacedPackages, runtimePackages } from '#test/support/packages.ts';
import manifest from '../../package.json' with { type: 'json' };
import { filesIn, importsOf } from './sources.ts';

/** The packages that the product consists of do their part at run time, or at build and test time. */

/** Where the other packages are imported. */
const BUILD_PACKAGES: Readonly<Record<string, string>> = {
  'aws-cdk-lib': 'lib/**/*.ts',
  constructs: 'lib/**/*.ts',
  esbuild: 'lib/**/*.ts',
  vitest: 'test/**/*.ts',
  'aws-sdk-client-mock': 'test/**/*.ts',
};

const isImported = (name: string, files: string): boolean =>
  filesIn(files).some((file) =>
    importsOf(file).some(({ from, typeOnly }) => !typeOnly && (from === name || from.startsWith(`${name}/`))),
  );

/** With every permission that belongs to a package, and without each of them. */
const EXAMPLES = [
  'settings.readPublic',
  'comments.add',
  'payments.startCheckout',
  'mail.notifySubmitter',
  'events.publish',
];
const examples: readonly HandlerFile[] = handlerFiles.filter(({ id }) => EXAMPLES.includes(id));

it.each(Object.keys(runtimePackages))('%s is a production dependency with an import that stays at run time', (name) => {
  expect(Object.keys(manifest.dependencies)).toContain(name);
  expect(Object.keys(manifest.devDependencies)).not.toContain(name);
  expect(isImported(name, '{shared,functions}/**/*.ts')).toBe(true);
});

longTest(
  'the packages of functions are in the bundles of functions that use them, for an example of each',
  {
    timeout: 120_000,
  },
  async () => {
    for (const { isUsedBy } of Object.values(runtimePackages)) expect(examples.some(isUsedBy)).toBe(true);
    const { metafile } = (await build({
      ...bundleOptions,
      minify: false,
      entryPoints: examples.map(({ path }) => ({ in: `functions/${path}.ts`, out: `${path}/index` })),
      outdir: 'dist/functions',
      outExtension: { '.js': '.mjs' },
      metafile: true,
      write: false,
    })) as { metafile: Metafile };
    expect(misplacedPackages(metafile, examples)).toEqual([]);
  },
);

it.each(Object.entries(BUILD_PACKAGES))('%s is a development dependency imported in %s', (name, files) => {
  expect(Object.keys(manifest.devDependencies)).toContain(name);
  expect(Object.keys(manifest.dependencies)).not.toContain(name);
  expect(isImported(name, files)).toBe(true);
});

it('no code imports the internal packages of the SDK', () => {
  const internal = filesIn('{shared,functions,lib,local,test,scripts,bench}/**/*.ts').flatMap((file) =>
    importsOf(file).flatMap(({ from }) => (from.startsWith('@smithy/') ? [`${file} imports ${from}`] : [])),
  );
  expect(internal).toEqual([]);
});
