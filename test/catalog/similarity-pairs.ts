import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparable } from '#catalog/types.ts';

/** A pair of listings, and whether a moderator would call them the same. */
interface LabelledPair {
  readonly base: Comparable;
  readonly other: Comparable;
  readonly isDuplicate: boolean;
}

/** Two hundred pairs in fifty groups. A group is a base followed by its duplicates and by different listings. */
export const labelledPairs = (): readonly LabelledPair[] => {
  const lines = readFileSync(join(import.meta.dirname, 'similarity-pairs.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  const pairs: LabelledPair[] = [];
  let base: Comparable | undefined;
  for (const line of lines) {
    const [relation = '', name = '', url = '', description = ''] = line.split('\t');
    const listing = { name, url, description };
    if (relation === 'base') {
      base = listing;
    } else if (base) {
      pairs.push({ base, other: listing, isDuplicate: relation === 'duplicate' });
    }
  }
  return pairs;
};
