import { canonicalHost } from '#model/canonical-url.ts';
import { ListPool } from './list-pool.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { Rows } from './rows.ts';
import { type Comparable, HOST_LISTINGS_MAX, nameFeatures, overlap, scoreOf, textFeatures } from './similarity.ts';
import type { SimilarRow } from './types.ts';
import type { UrlIndex } from './url-index.ts';

/** The number of listings indexed per step: a few milliseconds of work. */
const STEP = 512;

/** The listings that are compared exactly, per kind of features and for the URL: they bound the time of a search. */
const CANDIDATES_MAX = 16;

/** The visited postings per kind of features; those of rare features come first. */
const VISITS_MAX = 20_000;

/** Finds listings that are alike by name and description. Deleted listings are not in it. */
export class SimilarityIndex implements ListingIndex {
  readonly #rows: Rows;
  readonly #urls: () => UrlIndex;
  /** By feature, the slots of the listings that have it. */
  readonly #postings = new ListPool();
  /** By slot, the weight of the features that it shares with the subject of the current search. */
  #weights = new Float32Array(1024);
  #size = 0;
  /** The slots below this are indexed; undefined: all slots. */
  #indexedTo: number | undefined = 0;

  constructor(rows: Rows, urls: () => UrlIndex) {
    this.#rows = rows;
    this.#urls = urls;
  }

  /** Runs one step of building the index. @returns whether it is complete. */
  prepare(): boolean {
    if (this.#indexedTo === undefined) return true;
    const end = Math.min(this.#indexedTo + STEP, this.#rows.capacity);
    for (let slot = this.#indexedTo; slot < end; slot += 1) {
      const row = this.#rows.findAt(slot);
      if (row) this.#add(slot, row);
    }
    this.#indexedTo = end === this.#rows.capacity ? undefined : end;
    return this.#indexedTo === undefined;
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
    if (this.#isIndexed(slot)) this.#add(slot, row);
  }

  remove(slot: number, row: Row): void {
    if (!this.#isIndexed(slot) || row.deletedAt !== null) return;
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

  #isIndexed(slot: number): boolean {
    return this.#indexedTo === undefined || slot < this.#indexedTo;
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
