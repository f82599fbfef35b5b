import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { consolePages } from '#contract/console.ts';
import { consoleFolder, environment } from '#platform/environment.ts';
import { uploadOrigin } from '#platform/s3.ts';
import { mustExist, notFound, PageError } from '#shared/errors.ts';
import { visibleText } from '#shared/openapi/visible.ts';
import openapi from '../../../docs/openapi.json' with { type: 'json' };

/** The built console: beside the code of a deployed function, or in the folder that the local server names. */
const folder = (): string => consoleFolder() ?? path.join(import.meta.dirname, 'console');

/** The text of a built file of the console; undefined when there is none. @param name without separators. */
const readConsoleFile = async (name: string): Promise<string | undefined> => {
  try {
    return await readFile(path.join(folder(), name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

const FILE_NAME = /^[\w-]+\.(?<extension>js|css|svg)$/;
const PAGE_NAME = /^[\w-]+$/;

const isPage = (name: string): boolean => (consolePages as readonly string[]).includes(name);

/** The origins of addresses, without those that are missing. */
const originsOf = (...addresses: readonly (string | null | undefined)[]): string[] => [
  ...new Set(addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? [])),
];

/** All code and styles come from the service itself; images of listings come from any https host. Files are uploaded to the bucket. */
const contentSecurityPolicy = (): string => {
  const { signIn } = environment();
  const otherOrigins = originsOf(signIn?.issuer, signIn?.tokenUrl, uploadOrigin());
  return [
    "default-src 'self'",
    "img-src 'self' https: data:",
    ["connect-src 'self'", ...otherOrigins].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** A page of the built files. @throws 404 when they were not built. */
const pageOf = async (name: string) => {
  const text = mustExist(await readConsoleFile(name));
  const headers = { 'content-security-policy': contentSecurityPolicy(), 'referrer-policy': 'same-origin' };
  return { text, headers };
};

/** The page of the API reference. Its scripts and styles are files of the console. */
export const docsPage = async (hasTrailingSlash: boolean) => await pageOf(`reference-${hasTrailingSlash ? 1 : 0}.html`);

/** An address of the console. */
interface ConsoleAddress {
  /** The name of a file or page; undefined for the address without a name. */
  readonly file: string | undefined;
  /** Of an address below a page, which none has. */
  readonly rest: string | undefined;
  readonly hasTrailingSlash: boolean;
}

/**
 * A file of the console. A page is the same document for every name; its scripts read the address. There is one per number of
 * slashes behind `/console`, by which the relative addresses of assets differ.
 * @throws 404 with the document for the name of no page, and without it for an unknown file, and for every name when the console was not built.
 */
export const consoleFile = async ({ file: name, rest, hasTrailingSlash }: ConsoleAddress) => {
  const slashes = [name !== undefined, rest !== undefined, hasTrailingSlash].filter(Boolean).length;
  const document = `page-${slashes}.html`;
  if (rest !== undefined) {
    if (!PAGE_NAME.test(rest)) throw notFound();
    return await pageOf(document);
  }
  const extension = FILE_NAME.exec(name ?? '')?.groups?.extension as keyof typeof TYPES | undefined;
  if (name !== undefined && extension !== undefined) {
    const text = mustExist(await readConsoleFile(name));
    const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
    return { text, contentType: TYPES[extension], headers };
  }
  if (name !== undefined && !PAGE_NAME.test(name)) throw notFound();
  const page = await pageOf(document);
  if (name !== undefined && !isPage(name)) throw new PageError('NOT_FOUND', page);
  return page;
};

// Features change only with a restart, so the text is constant.
let text: string | undefined;

/** The OpenAPI document without the routes of disabled features, as JSON text. */
export const openapiText = (): string => {
  text ??= visibleText(openapi, environment().features);
  return text;
};
