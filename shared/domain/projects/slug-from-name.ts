import { slugify } from 'transliteration';
import { SLUG_MAX, shortened } from './slug.ts';

// A module of its own: the tables of all scripts are a quarter of a function, which only those should carry who name things.

/**
 * A readable slug from a name in any script.
 * @param fallback what it is when nothing of the name can be written in Latin letters.
 */
export const slugFrom = (name: string, fallback: string): string => {
  const slug = slugify(name, { lowercase: true, separator: '-', trim: true })
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return shortened(slug, SLUG_MAX) || fallback;
};
