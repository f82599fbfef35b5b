import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './paths.ts';

const APPLICATION = join(root, 'console/app/app.tsx');

/** The scripts that the console imports where they are needed, by calls on one line as the formatter writes them. */
const scriptsOnDemand = (): ReadonlySet<string> =>
  new Set(
    globSync('console/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, path]) =>
        join(root, dirname(file), path ?? ''),
      ),
    ),
  );

/**
 * Makes every script that is loaded on demand depend on the application, which is loaded before all of them. Its modules
 * are then one file: otherwise each set of scripts that share some of them would get a file of its own. The first load has
 * 5 files in place of 26, and 4 KB less after compression.
 */
export const oneApplicationFile: Plugin = {
  name: 'one-application-file',
  setup: (building) => {
    let onDemand: ReadonlySet<string> = new Set();
    building.onStart(() => {
      // Read before the build: in it a script may be loaded for another import first, and the names of all files would change.
      onDemand = scriptsOnDemand();
    });
    building.onLoad({ filter: /[\\/]console[\\/].*\.tsx$/ }, async ({ path }) => {
      if (!onDemand.has(path)) return undefined;
      const contents = `${await readFile(path, 'utf8')}\nexport { App as application } from ${JSON.stringify(APPLICATION)};`;
      return { contents, loader: 'tsx' };
    });
  },
};
