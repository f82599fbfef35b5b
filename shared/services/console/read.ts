import { readConsoleFile } from '#platform/console-files.ts';
import { uploadOrigin } from '#platform/object-storage.ts';
import { settings } from '#platform/settings.ts';
import { notFound } from '#shared/errors.ts';

/** The types of the files that the build writes. */
const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

const FILE_NAME = /^[\w-]+\.(?<extension>js|css|svg)$/;
const PAGE_NAME = /^[a-z]+$/;

/** The origins of addresses, without those that are missing. */
const originsOf = (...addresses: readonly (string | null | undefined)[]): string[] => [
  ...new Set(addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? [])),
];

/** All code and styles come from the service itself; images of listings come from any https host. Files are uploaded to the bucket. */
const contentSecurityPolicy = (): string => {
  const { signIn } = settings();
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
  const text = await readConsoleFile(name);
  if (text === undefined) throw notFound();
  const headers = { 'content-security-policy': contentSecurityPolicy(), 'referrer-policy': 'same-origin' };
  return { text, headers };
};

/** The page of the API reference. Its scripts and styles are files of the console. */
export const referencePage = async () => await pageOf('reference.html');

/**
 * A file of the console. A page is the same document for every name; its scripts read the address.
 * @param name undefined for the address without a name, from which assets have another relative address.
 * @throws 404 for an unknown file, and for every name when the console was not built.
 */
export const consoleFile = async (name: string | undefined) => {
  const extension = FILE_NAME.exec(name ?? '')?.groups?.extension as keyof typeof TYPES | undefined;
  if (name !== undefined && extension !== undefined) {
    const text = await readConsoleFile(name);
    if (text === undefined) throw notFound();
    const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
    return { text, contentType: TYPES[extension], headers };
  }
  if (name !== undefined && !PAGE_NAME.test(name)) throw notFound();
  return await pageOf(name === undefined ? 'root.html' : 'page.html');
};
