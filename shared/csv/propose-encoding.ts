import { analyse } from 'chardet';
import { encodingNamed } from '#contract/projects.ts';
import { decoded, markedEncoding, unmarkedUtf16 } from './encoding.ts';

// A separate module, because the statistics of languages add 41 KB to a function's bundle.

/** How many bytes of words are looked at. */
const WORD_BYTES_MAX = 50_000;

/** What the bytes that an encoding leaves out are decoded as. */
const UNUSED = /[\x80-\x9f]/;

/** The words with a character beyond ASCII: column names and addresses say nothing about the language. */
const foreignWords = (bytes: Uint8Array): Buffer => {
  const words =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[\x40-\xff]+/g) ?? [];
  const foreign = words.filter((word) => /[\x80-\xff]/.test(word));
  return Buffer.from(foreign.join(' ').slice(0, WORD_BYTES_MAX), 'latin1');
};

/**
 * The most likely encoding of a file. Which of the encodings of Latin letters it is cannot be known from few words, so the user
 * should see the result.
 * @param isWhole whether `beginning` is the whole file.
 */
export const proposedEncoding = (beginning: Uint8Array, isWhole: boolean): string => {
  const certain = markedEncoding(beginning) ?? unmarkedUtf16(beginning);
  if (certain !== undefined) return certain;
  if (decoded(beginning, 'utf-8', isWhole) !== undefined) return 'utf-8';
  const isText = (encoding: string): boolean => {
    const text = decoded(beginning, encoding, isWhole);
    return text !== undefined && !UNUSED.test(text);
  };
  const likely = analyse(foreignWords(beginning)).flatMap(({ name }) => encodingNamed(name) ?? []);
  // In that of the Macintosh, which has no statistics, every byte is a character.
  return [...likely, 'windows-1252'].find(isText) ?? 'macintosh';
};
