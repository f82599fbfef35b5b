import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of `package.json`: the repository, or the installed package, where compiled code is in another folder. */
export const root = dirname(createRequire(import.meta.url).resolve('directory-listing-service/package.json'));

/** The folder for build output. */
export const dist = join(root, 'dist');

/** The folder that is uploaded for a handler; it contains its bundle only. */
export const bundleFolder = (path: string): string => join(dist, 'functions', path);
