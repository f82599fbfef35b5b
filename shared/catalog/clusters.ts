import { MAP_ZOOM_MAX as ZOOM_MAX } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { ListingIndex, Row } from './rows.ts';
import type { SquareContents } from './types.ts';

// Clusters are the squares of a grid, so their counts are exact, filters need no index of their own, and a square has the same id in
// every process. The grid of each zoom divides the squares of the one before into four.

/** A tile of 256 pixels has four squares of 64 pixels in each direction, which is two further zooms. */
const SQUARE_BITS = 2;

/** The number of squares in each direction at the greatest zoom. */
const SQUARES = 2 ** (ZOOM_MAX + SQUARE_BITS);

const RADIANS = Math.PI / 180;

const clamped = (square: number): number => Math.min(SQUARES - 1, Math.max(0, Math.floor(square)));

/** The column of squares at the greatest zoom. Longitude 180 is in the last one, -180 in the first. */
const columnOf = (longitude: number): number => clamped(((longitude + 180) / 360) * SQUARES);

/** The row of squares at the greatest zoom, from the north; beyond the edges of the Web Mercator map the outermost one. */
const rowOf = (latitude: number): number =>
  clamped((0.5 - Math.asinh(Math.tan(latitude * RADIANS)) / (2 * Math.PI)) * SQUARES);

/** The number of the square at a zoom. */
const squareAt = (zoom: number, column: number, row: number): number =>
  (column >>> (ZOOM_MAX - zoom)) * 2 ** (zoom + SQUARE_BITS) + (row >>> (ZOOM_MAX - zoom));

class Square {
  readonly slot: number;
  readonly column: number;
  readonly row: number;
  count = 0;
  longitudes = 0;
  latitudes = 0;
  west = Number.POSITIVE_INFINITY;
  south = Number.POSITIVE_INFINITY;
  east = Number.NEGATIVE_INFINITY;
  north = Number.NEGATIVE_INFINITY;
  /** The bits in which columns or rows of the listings differ. */
  differing = 0;

  constructor(slot: number, column: number, row: number) {
    this.slot = slot;
    this.column = column;
    this.row = row;
  }

  add(column: number, row: number, longitude: number, latitude: number): void {
    this.count += 1;
    this.longitudes += longitude;
    this.latitudes += latitude;
    this.west = Math.min(this.west, longitude);
    this.south = Math.min(this.south, latitude);
    this.east = Math.max(this.east, longitude);
    this.north = Math.max(this.north, latitude);
    this.differing |= (column ^ this.column) | (row ^ this.row);
  }

  contents(zoom: number): SquareContents {
    const shift = ZOOM_MAX - zoom;
    const { west, south, east, north, differing, count } = this;
    // A rounded mean of equal numbers may differ from them.
    const within = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
    return {
      id: `${zoom}/${this.column >>> shift}/${this.row >>> shift}`,
      count,
      slot: this.slot,
      longitude: within(this.longitudes / count, west, east),
      latitude: within(this.latitudes / count, south, north),
      bbox: [west, south, east, north],
      expansionZoom: differing === 0 ? null : ZOOM_MAX - (31 - Math.clz32(differing)),
    };
  }
}

const byPlace = (one: Square, other: Square): number => one.row - other.row || one.column - other.column;

/** The coordinates of all listings and their squares. Slots without coordinates must not be asked for. */
export class MapSquares implements ListingIndex {
  readonly #latitude: number[] = [];
  readonly #longitude: number[] = [];
  /** At the greatest zoom. */
  readonly #column: number[] = [];
  readonly #row: number[] = [];

  isAffected(before: Row, after: Row): boolean {
    return before.latitude !== after.latitude || before.longitude !== after.longitude;
  }

  insert(slot: number, { latitude, longitude }: Row): void {
    const isLocated = latitude !== null && longitude !== null;
    this.#latitude[slot] = isLocated ? latitude : Number.NaN;
    this.#longitude[slot] = isLocated ? longitude : Number.NaN;
    this.#column[slot] = isLocated ? columnOf(longitude) : 0;
    this.#row[slot] = isLocated ? rowOf(latitude) : 0;
  }

  remove(): void {
    // The next listing in the slot replaces its coordinates.
  }

  /**
   * The squares with these listings at a zoom, or at the greatest lower one with at most `max` of them; from the north, then the west.
   * @param max at least the number of squares at zoom 0.
   */
  group(
    slots: Bitmap,
    zoom: number,
    max: number,
  ): { readonly zoom: number; readonly squares: readonly SquareContents[] } {
    const members = slots.ascending(0, 0, Number.POSITIVE_INFINITY);
    for (let level = zoom; ; level -= 1) {
      const squares = this.#groupAt(members, level, level === 0 ? Number.POSITIVE_INFINITY : max);
      if (squares) return { zoom: level, squares: squares.sort(byPlace).map((square) => square.contents(level)) };
    }
  }

  /** @returns undefined when there are more than `max` squares. */
  #groupAt(members: readonly number[], zoom: number, max: number): Square[] | undefined {
    const squares = new Map<number, Square>();
    for (const slot of members) {
      const column = this.#column[slot] as number;
      const row = this.#row[slot] as number;
      const number = squareAt(zoom, column, row);
      let square = squares.get(number);
      if (!square) {
        if (squares.size === max) return undefined;
        square = new Square(slot, column, row);
        squares.set(number, square);
      }
      square.add(column, row, this.#longitude[slot] as number, this.#latitude[slot] as number);
    }
    return [...squares.values()];
  }
}
