import type { SimilarityReason } from '#contract/projects.ts';
import { fold } from './fold.ts';
import { hashOf, wordsOf } from './words.ts';

// How alike two listings are. docs/adr/0061 explains the score and reports its precision and recall.

/** What is compared of a listing. */
export interface Comparable {
  readonly name: string;
  readonly url: string;
  readonly description: string;
}

/** Features are numbers: trigrams of names first, then words of descriptions. */
const NAME_FEATURES = 2 ** 15;
const TEXT_FEATURES = 2 ** 18;

/** The compared words of a description. */
const WORDS_MAX = 100;
/** Words of this many UTF-16 units or more are compared by their trigrams: scripts without spaces have no others. */
const LONG_WORD = 18;
const SHORT_WORD = 2;

/** Spreads a hash over all its bits. */
const mixed = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x45d9_f3b);
  return (once ^ (once >>> 15)) >>> 0;
};

const trigramsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3));

/** The trigrams of a name, in which the ends of words count as letters. */
export const nameFeatures = (name: string): readonly number[] => {
  const words = wordsOf(fold(name));
  if (words.length === 0) return [];
  return [...new Set(trigramsOf(` ${words.join(' ')} `).map((trigram) => mixed(hashOf(trigram)) % NAME_FEATURES))];
};

/** The words of a description. */
export const textFeatures = (description: string): readonly number[] => {
  const words = wordsOf(fold(description)).filter((word) => word.length > SHORT_WORD);
  const parts = words.slice(0, WORDS_MAX).flatMap((word) => (word.length < LONG_WORD ? [word] : trigramsOf(word)));
  return [...new Set(parts.map((part) => NAME_FEATURES + (mixed(hashOf(part)) % TEXT_FEATURES)))];
};

/** How rare a feature is, so that what few listings share weighs more. */
type Weight = (feature: number) => number;

const sumOf = (features: readonly number[], weight: Weight): number =>
  features.reduce((sum, feature) => sum + weight(feature), 0);

/** The weight of what two sets of features share, and its part of both (the Dice coefficient). */
export const overlap = (one: readonly number[], other: readonly number[], weight: Weight) => {
  const known = new Set(one);
  const shared = sumOf(
    other.filter((feature) => known.has(feature)),
    weight,
  );
  const both = sumOf(one, weight) + sumOf(other, weight);
  return { shared, part: both === 0 ? 0 : (2 * shared) / both };
};

/** What speaks for two listings being the same. */
export interface Evidence {
  readonly hasSameUrl: boolean;
  /** The number of other listings on the same host; 0 for different hosts and for platforms. */
  readonly listingsOnHost: number;
  /** Of the trigrams of both names, 0 to 1. */
  readonly namePart: number;
  /** Of the words of both descriptions, 0 to 1. */
  readonly textPart: number;
  /** The weight of the shared words, in words that no other listing has. */
  readonly sharedWords: number;
}

/** A host with more listings than this is a platform, such as a code host, and says nothing about them. */
export const HOST_LISTINGS_MAX = 20;
const NAME_PART_MIN = 0.55;
const TEXT_PART_MIN = 0.3;
/** Fewer shared words count proportionally less: short descriptions are alike by chance. */
const SHARED_WORDS_FULL = 3;

const SAME_URL = 0.95;
const SAME_HOST = 0.5;
const SAME_NAME = 0.65;
const SAME_TEXT = 0.8;

const from = (min: number, part: number): number => Math.max(0, part - min) / (1 - min);

/** The strength of each kind of evidence, 0 to 1; those that are 0 are omitted. */
const strengthsOf = (evidence: Evidence): readonly (readonly [SimilarityReason, number])[] => {
  const { hasSameUrl, listingsOnHost, namePart, textPart, sharedWords } = evidence;
  const all: readonly (readonly [SimilarityReason, number])[] = [
    ['same_url', hasSameUrl ? SAME_URL : 0],
    ['same_host', listingsOnHost > 0 ? SAME_HOST / Math.sqrt(listingsOnHost) : 0],
    ['similar_name', SAME_NAME * from(NAME_PART_MIN / 2, namePart) * Number(namePart >= NAME_PART_MIN)],
    [
      'similar_text',
      SAME_TEXT *
        from(TEXT_PART_MIN / 2, textPart) *
        Math.min(1, sharedWords / SHARED_WORDS_FULL) *
        Number(textPart >= TEXT_PART_MIN),
    ],
  ];
  return all.filter(([, strength]) => strength > 0);
};

/** The score, 0 to 1, as if each kind of evidence were independent of the others, and its reasons. */
export const scoreOf = (
  evidence: Evidence,
): { readonly score: number; readonly reasons: readonly SimilarityReason[] } => {
  const strengths = strengthsOf(evidence);
  const doubt = strengths.reduce((product, [, strength]) => product * (1 - strength), 1);
  return { score: Math.round((1 - doubt) * 100) / 100, reasons: strengths.map(([reason]) => reason) };
};
