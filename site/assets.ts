import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { siteFolder } from '#platform/environment.ts';
import { mustExist, notFound } from '#shared/errors.ts';

/** The built files: beside the code of a deployed function, or in the folder that the local server names. */
const folder = (): string => siteFolder() ?? path.join(import.meta.dirname, 'site');

let known: Readonly<Record<string, string>> | undefined;

/** The name with its digest of a built file. @param name such as `main.css`. */
export const assetPath = (name: string): string => {
  known ??= JSON.parse(readFileSync(path.join(folder(), 'assets.json'), 'utf8')) as Readonly<Record<string, string>>;
  const found = known[name];
  if (found === undefined) throw new Error(`${name} is not among the files of the pages.`);
  return found;
};

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
} as const;

const FILE_NAME = /^[\w-]+-[\w]+\.(?<extension>js|css|svg|json)$/;

/** A built file, which may be kept for ever: its name changes with its content. @throws 404 */
export const readAsset = async (name: string) => {
  const extension = FILE_NAME.exec(name)?.groups?.extension as keyof typeof TYPES | undefined;
  if (extension === undefined) throw notFound();
  const text = await readFile(path.join(folder(), name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return {
    text: mustExist(text),
    contentType: TYPES[extension],
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
  };
};
