import type { CatalogFilters } from './types.ts';

/** Degrees. West greater than east crosses the date line. */
export type Box = NonNullable<CatalogFilters['bbox']>;
/** Degrees and kilometres. */
export type Circle = NonNullable<CatalogFilters['near']>;

/** The mean radius of the earth, in kilometres. */
export const EARTH_RADIUS_KM = 6371.0088;

const RADIANS = Math.PI / 180;

const whole: Box = { west: -180, south: -90, east: 180, north: 90 };

/** Whether a place (degrees) lies inside a box, its edges included. */
export const inBox = (box: Box, latitude: number, longitude: number): boolean =>
  latitude >= box.south &&
  latitude <= box.north &&
  (box.west <= box.east
    ? longitude >= box.west && longitude <= box.east
    : longitude >= box.west || longitude <= box.east);

/** A point on a globe of radius 1. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Where a place (degrees) is on a globe of radius 1. */
export const onGlobe = (latitude: number, longitude: number): Point => {
  const phi = latitude * RADIANS;
  const lambda = longitude * RADIANS;
  return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
};

/**
 * The square of the straight line through a globe of radius 1 between two points that are so many kilometres apart on the earth.
 * It is four times the haversine of their angle and takes no trigonometry per point. Infinite from half way around on.
 */
export const squaredChord = (distanceKm: number): number => {
  const halfAngle = distanceKm / EARTH_RADIUS_KM / 2;
  return halfAngle < Math.PI / 2 ? 4 * Math.sin(halfAngle) ** 2 : Number.POSITIVE_INFINITY;
};

/** The box as one or two boxes that do not cross the date line. */
export const spansOf = (box: Box): Box[] =>
  box.west <= box.east
    ? [box]
    : [
        { ...box, east: whole.east },
        { ...box, west: whole.west },
      ];

/** Degrees by which a box around a circle is wider, so that rounding leaves nobody out. */
const MARGIN = 1e-9;

/** Boxes that do not cross the date line and together hold a whole circle. */
export const spansAround = ({ latitude, longitude, radiusKm }: Circle): Box[] => {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const reach = angle / RADIANS + MARGIN;
  const south = Math.max(whole.south, latitude - reach);
  const north = Math.min(whole.north, latitude + reach);
  // A circle that holds a pole has every longitude in it.
  if (south === whole.south || north === whole.north) return [{ ...whole, south, north }];
  const breadth = Math.asin(Math.sin(angle) / Math.cos(latitude * RADIANS)) / RADIANS + MARGIN;
  return spansOf({ south, north, west: wrapped(longitude - breadth), east: wrapped(longitude + breadth) });
};

const wrapped = (longitude: number): number =>
  longitude < whole.west ? longitude + 360 : longitude > whole.east ? longitude - 360 : longitude;
