import type { Bitmap } from './bitmap.ts';
import { IdSet } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import { type Box, type Circle, inBox, onGlobe, spansAround, spansOf, squaredChord } from './place.ts';
import type { Row } from './row.ts';

/** The edge of a cell of the grid, in degrees. */
const CELL = 2;
const COLUMNS = 360 / CELL + 1;

/** Finds listings by place, through a grid of cells over the globe. */
export class PlaceIndex implements ListingIndex {
  readonly #cells: (IdSet | undefined)[] = new Array(COLUMNS * (180 / CELL + 1)).fill(undefined);
  /** By slot: degrees, and the point on a globe of radius 1. Not a number for listings without a place. */
  readonly #latitude: number[] = [];
  readonly #longitude: number[] = [];
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #z: number[] = [];

  concerns(before: Row, after: Row): boolean {
    return before.latitude !== after.latitude || before.longitude !== after.longitude;
  }

  insert(slot: number, row: Row): void {
    const latitude = row.latitude ?? Number.NaN;
    const longitude = row.longitude ?? Number.NaN;
    const point = onGlobe(latitude, longitude);
    this.#latitude[slot] = latitude;
    this.#longitude[slot] = longitude;
    this.#x[slot] = point.x;
    this.#y[slot] = point.y;
    this.#z[slot] = point.z;
    if (Number.isNaN(latitude + longitude)) return;
    const cell = cellOf(latitude, longitude);
    const members = this.#cells[cell] ?? new IdSet();
    this.#cells[cell] = members;
    members.add(slot);
  }

  remove(slot: number, { latitude, longitude }: Row): void {
    if (latitude !== null && longitude !== null) this.#cells[cellOf(latitude, longitude)]?.delete(slot);
  }

  /** Adds the slots inside the box to a bitmap, which it answers. */
  addInBox(box: Box, found: Bitmap): Bitmap {
    for (const span of spansOf(box)) {
      this.#visitCells(span, (members, cell) => {
        if (contains(span, cell)) members.addTo(found);
        else
          members.forEach((slot) => {
            if (inBox(span, this.#latitude[slot] ?? 0, this.#longitude[slot] ?? 0)) found.add(slot);
          });
      });
    }
    return found;
  }

  /** Adds the slots inside the circle to a bitmap, which it answers. */
  addInCircle(circle: Circle, found: Bitmap): Bitmap {
    const { x, y, z } = onGlobe(circle.latitude, circle.longitude);
    const limit = squaredChord(circle.radiusKm);
    const check = (slot: number) => {
      const dx = (this.#x[slot] ?? 0) - x;
      const dy = (this.#y[slot] ?? 0) - y;
      const dz = (this.#z[slot] ?? 0) - z;
      if (dx * dx + dy * dy + dz * dz <= limit) found.add(slot);
    };
    for (const span of spansAround(circle)) this.#visitCells(span, (members) => members.forEach(check));
    return found;
  }

  /** Visits the cells that a box without the date line touches, those that have members. */
  #visitCells(box: Box, visit: (members: IdSet, cell: number) => void): void {
    for (let row = rowOf(box.south); row <= rowOf(box.north); row += 1) {
      for (let column = columnOf(box.west); column <= columnOf(box.east); column += 1) {
        const cell = row * COLUMNS + column;
        const members = this.#cells[cell];
        if (members) visit(members, cell);
      }
    }
  }
}

const rowOf = (latitude: number): number => Math.floor((latitude + 90) / CELL);
const columnOf = (longitude: number): number => Math.floor((longitude + 180) / CELL);
const cellOf = (latitude: number, longitude: number): number => rowOf(latitude) * COLUMNS + columnOf(longitude);

/** Whether a box without the date line has the whole cell inside. */
const contains = (box: Box, cell: number): boolean => {
  const south = Math.floor(cell / COLUMNS) * CELL - 90;
  const west = (cell % COLUMNS) * CELL - 180;
  return box.south <= south && south + CELL <= box.north && box.west <= west && west + CELL <= box.east;
};
