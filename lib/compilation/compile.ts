import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The ways in which Node may be started, as far as V8 asks whether it was the same when something was compiled. Lambda has
 * always given the flag; as nobody promises that, both are made.
 */
export const STARTS: readonly (readonly string[])[] = [[], ['--expose-gc']];

const EXPORT = /export\s*\{\s*([\w$]+) as handler\s*\};?\s*$/;

/** A bundle as a function that gives its exports. @throws Error when it does not end with its one export. */
export const asFunction = (bundle: string): string => {
  const [whole, handler] = EXPORT.exec(bundle) ?? [];
  if (whole === undefined || handler === undefined) throw new Error('The bundle does not end with its handler.');
  // What is put before it stands on a line of its own, so that the bundle's own positions stay.
  return `(function(){'use strict';\n${bundle.slice(0, -whole.length)}return{handler:${handler}}})`;
};

const start = promisify(execFile);

/**
 * Compiles one function with the Node that runs this, and puts it together as it is uploaded: `index.mjs`, which loads it,
 * `function.js`, which is its bundle, and what V8 has made of that.
 * @param from the folder with the bundle's `index.mjs`.
 * @param to the folder that is uploaded; it is made.
 */
export const compileFunction = async (from: string, to: string): Promise<void> => {
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'function.js'), asFunction(readFileSync(join(from, 'index.mjs'), 'utf8')));
  copyFileSync(join(import.meta.dirname, 'index.mjs'), join(to, 'index.mjs'));
  for (const flags of STARTS) {
    await start(process.execPath, [...flags, join(import.meta.dirname, 'warm-up.ts'), to], { env: {} });
  }
};
