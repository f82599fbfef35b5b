import { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import { type Box, type Circle, inBox, inCircle, spansAround, spansOf } from './place.ts';
import type { Row } from './row.ts';

/** The edge of a cell of the grid, in degrees. */
const CELL = 2;
const COLUMNS = 360 / CELL + 1;

/** Finds listings by place, through a grid of cells over the globe. */
export class PlaceIndex implements ListingIndex {
  readonly #cells: (IdSet | undefined)[] = [];
  readonly #latitudes: number[] = [];
  readonly #longitudes: number[] = [];

  concerns({ project: before }: Row, { project: after }: Row): boolean {
    return before.latitude !== after.latitude || before.longitude !== after.longitude;
  }

  insert(slot: number, { project: { latitude, longitude } }: Row): void {
    if (latitude === null || longitude === null) return;
    this.#latitudes[slot] = latitude;
    this.#longitudes[slot] = longitude;
    const cell = cellOf(latitude, longitude);
    const members = this.#cells[cell] ?? new IdSet();
    this.#cells[cell] = members;
    members.add(slot);
  }

  remove(slot: number, { project: { latitude, longitude } }: Row): void {
    if (latitude !== null && longitude !== null) this.#cells[cellOf(latitude, longitude)]?.delete(slot);
  }

  /** Keeps of the slots those inside the box. */
  narrowToBox(slots: Bitmap, box: Box): void {
    this.#narrow(slots, spansOf(box), true, (latitude, longitude) => inBox(box, latitude, longitude));
  }

  /** Keeps of the slots those inside the circle. */
  narrowToCircle(slots: Bitmap, circle: Circle): void {
    this.#narrow(slots, spansAround(circle), false, (latitude, longitude) => inCircle(circle, latitude, longitude));
  }

  /** `exact` says that a cell inside a span needs no look at its members. */
  #narrow(slots: Bitmap, spans: Box[], exact: boolean, inside: (latitude: number, longitude: number) => boolean): void {
    const found = new Bitmap(slots.capacity);
    const check = (slot: number) => {
      if (slots.has(slot) && inside(this.#latitudes[slot] ?? 0, this.#longitudes[slot] ?? 0)) found.add(slot);
    };
    for (const span of spans) {
      for (const cell of cellsIn(span)) {
        if (exact && contains(span, cell)) this.#cells[cell]?.addTo(found);
        else this.#cells[cell]?.forEach(check);
      }
    }
    slots.and(found);
  }
}

const rowOf = (latitude: number): number => Math.floor((latitude + 90) / CELL);
const columnOf = (longitude: number): number => Math.floor((longitude + 180) / CELL);
const cellOf = (latitude: number, longitude: number): number => rowOf(latitude) * COLUMNS + columnOf(longitude);

/** The cells that a box without the date line touches. */
const cellsIn = function* (box: Box): IterableIterator<number> {
  for (let row = rowOf(box.south); row <= rowOf(box.north); row += 1) {
    for (let column = columnOf(box.west); column <= columnOf(box.east); column += 1) yield row * COLUMNS + column;
  }
};

/** Whether a box without the date line has the whole cell inside. */
const contains = (box: Box, cell: number): boolean => {
  const south = Math.floor(cell / COLUMNS) * CELL - 90;
  const west = (cell % COLUMNS) * CELL - 180;
  return box.south <= south && south + CELL <= box.north && box.west <= west && west + CELL <= box.east;
};
