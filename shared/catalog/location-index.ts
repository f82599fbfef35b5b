import { wrapped } from '#contract/longitude.ts';
import type { Bitmap } from './bitmap.ts';
import { IdSet } from './postings.ts';
import type { ListingIndex, Row } from './rows.ts';
import type { CatalogFilters } from './types.ts';

type Box = NonNullable<CatalogFilters['bbox']>;
type Circle = NonNullable<CatalogFilters['near']>;

/** The mean radius of the Earth, in kilometres. */
const EARTH_RADIUS_KM = 6371.0088;

const RADIANS = Math.PI / 180;

export const wholeEarth: Box = { west: -180, south: -90, east: 180, north: 90 };

/** Whether a location (degrees) lies inside a box, its edges included. */
const inBox = (box: Box, latitude: number, longitude: number): boolean =>
  latitude >= box.south &&
  latitude <= box.north &&
  (box.west <= box.east
    ? longitude >= box.west && longitude <= box.east
    : longitude >= box.west || longitude <= box.east);

/** A point on the unit sphere. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The point of a location (degrees) on the unit sphere. */
const pointOf = (latitude: number, longitude: number): Point => {
  const phi = latitude * RADIANS;
  const lambda = longitude * RADIANS;
  return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
};

/**
 * The squared chord length on the unit sphere of a distance on the surface of the Earth. It is four times the haversine
 * of the angle, and comparing chords needs no trigonometry per point. Infinite from half the circumference on.
 */
const squaredChord = (distanceKm: number): number => {
  const halfAngle = distanceKm / EARTH_RADIUS_KM / 2;
  return halfAngle < Math.PI / 2 ? 4 * Math.sin(halfAngle) ** 2 : Number.POSITIVE_INFINITY;
};

/** The longitude of a location in the index: the meridians 180 and -180 are one. */
const indexed = (longitude: number): number => (longitude === wholeEarth.east ? wholeEarth.west : longitude);

/** Splits a box at the date line. One that ends there has the listings of the meridian too, which the index has at -180. */
const spansOf = (box: Box): Box[] => {
  const east = box.west === wholeEarth.west ? box.east : indexed(box.east);
  if (box.west <= east) return [box];
  return [
    { ...box, east: wholeEarth.east },
    { ...box, west: wholeEarth.west, east },
  ];
};

/** Degrees by which the bounding box of a circle is widened, against rounding. */
const MARGIN = 1e-9;

/** Boxes that do not cross the date line and together cover a circle. */
const spansAround = ({ latitude, longitude, radiusKm }: Circle): Box[] => {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const extent = angle / RADIANS + MARGIN;
  const south = Math.max(wholeEarth.south, latitude - extent);
  const north = Math.min(wholeEarth.north, latitude + extent);
  // A circle that contains a pole covers every longitude.
  if (south === wholeEarth.south || north === wholeEarth.north) return [{ ...wholeEarth, south, north }];
  const breadth = Math.asin(Math.sin(angle) / Math.cos(latitude * RADIANS)) / RADIANS + MARGIN;
  return spansOf({ south, north, west: wrapped(longitude - breadth), east: wrapped(longitude + breadth) });
};

/** The edge length of a grid cell, in degrees: a city and its surroundings are some dozen cells. */
const CELL = 0.25;

/** Finds listings by location, through a grid of cells of latitude and longitude. */
export class LocationIndex implements ListingIndex {
  /** By row from the south, the cells with listings by column from the west. */
  readonly #rows: Map<number, IdSet>[] = Array.from({ length: 180 / CELL + 1 }, () => new Map());
  /** By slot: degrees, and the point on the unit sphere. NaN for listings without coordinates. */
  readonly #latitude: number[] = [];
  readonly #longitude: number[] = [];
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #z: number[] = [];

  isAffected(before: Row, after: Row): boolean {
    return before.latitude !== after.latitude || before.longitude !== after.longitude;
  }

  insert(slot: number, row: Row): void {
    const latitude = row.latitude ?? Number.NaN;
    const longitude = indexed(row.longitude ?? Number.NaN);
    const point = pointOf(latitude, longitude);
    this.#latitude[slot] = latitude;
    this.#longitude[slot] = longitude;
    this.#x[slot] = point.x;
    this.#y[slot] = point.y;
    this.#z[slot] = point.z;
    if (Number.isNaN(latitude + longitude)) return;
    const cells = this.#rows[rowOf(latitude)] as Map<number, IdSet>;
    const column = columnOf(longitude);
    const members = cells.get(column);
    if (members) members.add(slot);
    else cells.set(column, IdSet.of(slot));
  }

  remove(slot: number, { latitude, longitude }: Row): void {
    if (latitude === null || longitude === null) return;
    const cells = this.#rows[rowOf(latitude)];
    const column = columnOf(indexed(longitude));
    const members = cells?.get(column);
    members?.delete(slot);
    if (members?.size === 0) cells?.delete(column);
  }

  /** Adds the slots inside the box to the bitmap and returns it. */
  addInBox(box: Box, found: Bitmap): Bitmap {
    for (const span of spansOf(box)) {
      this.#visitCells(span, (members, row, column) => {
        if (contains(span, row, column)) members.addTo(found);
        else
          members.forEach((slot) => {
            if (inBox(span, this.#latitude[slot] ?? 0, this.#longitude[slot] ?? 0)) found.add(slot);
          });
      });
    }
    return found;
  }

  /** Adds the slots inside the circle to the bitmap and returns it. */
  addInCircle(circle: Circle, found: Bitmap): Bitmap {
    const { x, y, z } = pointOf(circle.latitude, indexed(circle.longitude));
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

  /** Visits the cells with listings that intersect a box that does not cross the date line. */
  #visitCells(box: Box, visit: (members: IdSet, row: number, column: number) => void): void {
    const [west, east] = [columnOf(box.west), columnOf(box.east)];
    for (let row = rowOf(box.south); row <= rowOf(box.north); row += 1) {
      const cells = this.#rows[row] as Map<number, IdSet>;
      if (cells.size > east - west) {
        for (let column = west; column <= east; column += 1) {
          const members = cells.get(column);
          if (members) visit(members, row, column);
        }
      } else {
        for (const [column, members] of cells) if (column >= west && column <= east) visit(members, row, column);
      }
    }
  }
}

const rowOf = (latitude: number): number => Math.floor((latitude + 90) / CELL);
const columnOf = (longitude: number): number => Math.floor((longitude + 180) / CELL);

/** Whether a box that does not cross the date line contains the whole cell. */
const contains = (box: Box, row: number, column: number): boolean => {
  const south = row * CELL - 90;
  const west = column * CELL - 180;
  return box.south <= south && south + CELL <= box.north && box.west <= west && west + CELL <= box.east;
};
