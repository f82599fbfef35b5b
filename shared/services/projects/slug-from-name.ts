import { slugify } from 'transliteration';
import { SLUG_MAX, shortened } from './slug.ts';

// A separate module, because the transliteration tables add 190 KB to a function's bundle.

/**
 * A readable slug from a name in any script.
 * @param fallback returned when no character of the name can be transliterated.
 */
export const slugFrom = (name: string, fallback: string): string => {
  const slug = slugify(name, { lowercase: true, separator: '-', trim: true })
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return shortened(slug, SLUG_MAX) || fallback;
};
