import type { SimilarityReason } from '#contract/projects.ts';
import { canonicalHost, canonicalUrl } from '#model/url.ts';
import { fold, hashOf, wordsOf } from './folded-text.ts';
import { ListPool } from './list-pool.ts';
import { Postings } from './postings.ts';
import { type ListingIndex, Progress, type Row, type Rows } from './rows.ts';
import type { Comparable } from './types.ts';

// How alike two listings are. docs/adr/0061 explains the score and reports its precision and recall.

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
const nameFeatures = (name: string): readonly number[] => {
  const words = wordsOf(fold(name));
  if (words.length === 0) return [];
  return [...new Set(trigramsOf(` ${words.join(' ')} `).map((trigram) => mixed(hashOf(trigram)) % NAME_FEATURES))];
};

/** The words of a description. */
const textFeatures = (description: string): readonly number[] => {
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
interface Evidence {
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
const HOST_LISTINGS_MAX = 20;
const NAME_PART_MIN = 0.55;
const TEXT_PART_MIN = 0.3;
/** Fewer shared words count proportionally less: short descriptions are alike by chance. */
const SHARED_WORDS_FULL = 3;

const SAME_URL = 0.95;
const SAME_HOST = 0.5;
const SAME_NAME = 0.65;
const SAME_TEXT = 0.8;

const from = (min: number, part: number): number => Math.max(0, part - min) / (1 - min);

/** The strength of each kind of evidence, above 0 to 1. Evidence without strength is omitted. */
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

/** The score, 0 to 1, with its reasons. Treats the kinds of evidence as independent. */
const scoreOf = (evidence: Evidence): { readonly score: number; readonly reasons: readonly SimilarityReason[] } => {
  const strengths = strengthsOf(evidence);
  const noMatchProbability = strengths.reduce((product, [, strength]) => product * (1 - strength), 1);
  return { score: Math.round((1 - noMatchProbability) * 100) / 100, reasons: strengths.map(([reason]) => reason) };
};

/** The number of listings indexed per step: a few milliseconds of work. */
const STEP = 512;

/** The listings that are compared exactly, per kind of features and for the URL: they bound the time of a search. */
const CANDIDATES_MAX = 16;

/** The visited postings per kind of features, beginning with the rarest feature. */
const VISITS_MAX = 20_000;

/** A listing that resembles the subject of a search. */
interface SimilarRow {
  readonly row: Row;
  /** 0 to 1. */
  readonly score: number;
  readonly reasons: readonly SimilarityReason[];
}

/** Finds listings that are alike by name and description. Deleted listings are not in it. */
export class SimilarityIndex implements ListingIndex {
  readonly #rows: Rows;
  readonly #urls: () => UrlIndex;
  /** By feature, the slots of the listings that have it. */
  readonly #postings = new ListPool();
  /** By slot, the weight of the features that it shares with the subject of the current search. */
  #weights = new Float32Array(1024);
  #size = 0;
  readonly #indexed: Progress;

  constructor(rows: Rows, urls: () => UrlIndex) {
    this.#rows = rows;
    this.#indexed = new Progress(rows, STEP);
    this.#urls = urls;
  }

  /** Runs one step of building the index. @returns whether it is complete. */
  prepare(): boolean {
    return this.#indexed.advance(1, (slot, row) => this.#add(slot, row));
  }

  isAffected(before: Row, after: Row): boolean {
    if (before.version === after.version) return false;
    const [one, other] = [before.unpacked(), after.unpacked()];
    return (
      one.name !== other.name ||
      one.description !== other.description ||
      (one.deleted_at === null) !== (other.deleted_at === null)
    );
  }

  insert(slot: number, row: Row): void {
    if (this.#indexed.includes(slot)) this.#add(slot, row);
  }

  remove(slot: number, row: Row): void {
    if (!this.#indexed.includes(slot) || row.deletedAt !== null) return;
    for (const feature of featuresOf(row)) this.#postings.delete(feature, slot);
    this.#size -= 1;
  }

  /** The listings most like the subject, the most similar first. @param isIncluded which listings may be among them. */
  find(subject: Comparable, max: number, isIncluded: (row: Row) => boolean): readonly SimilarRow[] {
    while (!this.prepare());
    const [name, text] = [nameFeatures(subject.name), textFeatures(subject.description)];
    const host = canonicalHost(subject.url);
    const onHost = this.#urls().onHost(host, HOST_LISTINGS_MAX + 1);
    const sameUrl = new Set(this.#urls().same(subject.url).slice(0, CANDIDATES_MAX));
    const isCandidate = (slot: number): boolean => {
      const row = this.#rows.at(slot);
      return row.deletedAt === null && isIncluded(row);
    };
    const isPlatform = onHost.length > HOST_LISTINGS_MAX;
    const sameHost = onHost.filter(isCandidate);
    const slots = new Set([
      ...[...sameUrl].filter(isCandidate),
      ...(isPlatform ? [] : sameHost),
      ...this.#sharing(name, isCandidate),
      ...this.#sharing(text, isCandidate),
    ]);
    const weight = (feature: number): number => this.#weightOf(feature);
    const unique = Math.log(1 + this.#size);
    return Array.from(slots, (slot) => {
      const row = this.#rows.at(slot);
      const other = row.unpacked();
      const texts = overlap(text, textFeatures(other.description), weight);
      const { score, reasons } = scoreOf({
        hasSameUrl: sameUrl.has(slot),
        listingsOnHost: isPlatform || canonicalHost(other.url) !== host ? 0 : sameHost.length,
        namePart: overlap(name, nameFeatures(other.name), weight).part,
        textPart: texts.part,
        sharedWords: texts.shared / unique,
      });
      return { row, score, reasons };
    })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || (one.row.id < other.row.id ? -1 : 1))
      .slice(0, max);
  }

  #add(slot: number, row: Row): void {
    if (row.deletedAt !== null) return;
    for (const feature of featuresOf(row)) this.#postings.add(feature, slot);
    this.#size += 1;
  }

  #weightOf(feature: number): number {
    return Math.log(1 + this.#size / (1 + this.#postings.sizeOf(feature)));
  }

  /** The slots that share the greatest weight of features. */
  #sharing(features: readonly number[], isCandidate: (slot: number) => boolean): readonly number[] {
    if (this.#weights.length < this.#rows.capacity) this.#weights = new Float32Array(this.#rows.capacity * 2);
    const weights = this.#weights;
    const touched: number[] = [];
    let visits = 0;
    const rarestFirst = features.toSorted((one, other) => this.#postings.sizeOf(one) - this.#postings.sizeOf(other));
    for (const feature of rarestFirst) {
      visits += this.#postings.sizeOf(feature);
      if (visits > VISITS_MAX) break;
      const weight = this.#weightOf(feature);
      this.#postings.forEach(feature, (slot) => {
        if (weights[slot] === 0) touched.push(slot);
        weights[slot] = (weights[slot] ?? 0) + weight;
      });
    }
    const best = greatest(touched, weights, isCandidate);
    for (const slot of touched) weights[slot] = 0;
    return best;
  }
}

const featuresOf = (row: Row): readonly number[] => {
  const { name, description } = row.unpacked();
  return [...nameFeatures(name), ...textFeatures(description)];
};

/** The slots of the greatest weights, at most `CANDIDATES_MAX`. A single pass, because there may be ten thousands. */
const greatest = (
  slots: readonly number[],
  weights: Float32Array,
  isCandidate: (slot: number) => boolean,
): readonly number[] => {
  const best: number[] = [];
  for (const slot of slots) {
    const weight = weights[slot] ?? 0;
    const last = best.at(-1);
    if (best.length === CANDIDATES_MAX && last !== undefined && weight <= (weights[last] ?? 0)) continue;
    if (!isCandidate(slot)) continue;
    let at = best.length;
    while (at > 0 && (weights[best[at - 1] ?? 0] ?? 0) < weight) at -= 1;
    best.splice(at, 0, slot);
    if (best.length > CANDIDATES_MAX) best.pop();
  }
  return best;
};

/** Each takes some milliseconds: the listings whose host is read in one step, and those whose canonical URL is computed. */
const HOSTS_PER_STEP = 1024;
const CANONICAL_URLS_PER_STEP = 64;

/**
 * Finds listings by canonical URL. Indexed by host, which is cheap to extract; the canonical URL is expensive, so it is
 * computed only for listings on a requested host.
 */
export class UrlIndex implements ListingIndex {
  readonly #rows: Rows;
  readonly #indexed: Progress;
  readonly #hosts = new Postings();
  readonly #canonical: (string | undefined)[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#indexed = new Progress(rows, HOSTS_PER_STEP);
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version && before.unpacked().url !== after.unpacked().url;
  }

  insert(slot: number, row: Row): void {
    if (this.#indexed.includes(slot)) this.#add(slot, row);
  }

  remove(slot: number, row: Row): void {
    if (!this.#indexed.includes(slot)) return;
    this.#hosts.delete(canonicalHost(row.unpacked().url), slot);
    this.#canonical[slot] = undefined;
  }

  /** Runs one step of what `same` of a URL needs. @returns whether that is complete. */
  prepareSame(url: string): boolean {
    if (!this.#prepareHosts()) return false;
    let steps = 0;
    this.#hosts.get(canonicalHost(url))?.forEach((slot) => {
      if (this.#canonical[slot] !== undefined || steps >= CANONICAL_URLS_PER_STEP) return;
      this.#canonicalOf(slot);
      steps += 1;
    });
    return steps < CANONICAL_URLS_PER_STEP;
  }

  /** The slots of the first listings on a host, as `canonicalHost` returns it, at most `max`. */
  onHost(host: string, max: number): readonly number[] {
    while (!this.#prepareHosts());
    const found: number[] = [];
    this.#hosts.get(host)?.forEach((slot) => {
      if (found.length < max) found.push(slot);
    });
    return found;
  }

  /** The slots of the listings with the same canonical URL. */
  same(url: string): number[] {
    while (!this.#prepareHosts());
    const canonical = canonicalUrl(url);
    const found: number[] = [];
    this.#hosts.get(canonicalHost(url))?.forEach((slot) => {
      if (this.#canonicalOf(slot) === canonical) found.push(slot);
    });
    return found;
  }

  #prepareHosts(): boolean {
    return this.#indexed.advance(1, (slot, row) => this.#add(slot, row));
  }

  #add(slot: number, row: Row): void {
    this.#hosts.add(canonicalHost(row.unpacked().url), slot);
  }

  #canonicalOf(slot: number): string {
    const canonical = this.#canonical[slot] ?? canonicalUrl(this.#rows.at(slot).unpacked().url);
    this.#canonical[slot] = canonical;
    return canonical;
  }
}
