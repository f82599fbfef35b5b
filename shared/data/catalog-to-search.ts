import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ReadCatalog, SearchedText } from '#catalog/types.ts';
import { catalog } from './catalog.ts';

/**
 * The directory as it is in the memory of this process, at most a second old, ready for a text to be looked for. What has to be
 * made before the first search is made in steps of some milliseconds: whoever asks this process for something else meanwhile
 * is answered between them.
 */
export const catalogToSearch = async (text: SearchedText): Promise<ReadCatalog> => {
  const known = await catalog();
  while (!known.prepareSearch(text)) await othersTurn();
  return known;
};
