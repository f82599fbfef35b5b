import type { CatalogFilters } from './types.ts';

/** Degrees. West greater than east crosses the date line. */
export type Box = NonNullable<CatalogFilters['bbox']>;
/** Degrees and kilometres. */
export type Circle = NonNullable<CatalogFilters['near']>;

/** The mean radius of the earth, in kilometres. */
export const EARTH_RADIUS_KM = 6371.0088;

const RADIANS = Math.PI / 180;

/** Whether a place (degrees) lies inside a box, its edges included. */
export const inBox = (box: Box, latitude: number, longitude: number): boolean =>
  latitude >= box.south &&
  latitude <= box.north &&
  (box.west <= box.east
    ? longitude >= box.west && longitude <= box.east
    : longitude >= box.west || longitude <= box.east);

/** Whether a place (degrees) lies within a circle on the globe, by the haversine formula. */
export const inCircle = (circle: Circle, latitude: number, longitude: number): boolean => {
  const halfAngle = circle.radiusKm / EARTH_RADIUS_KM / 2;
  if (halfAngle >= Math.PI / 2) return true;
  const across = Math.sin(((latitude - circle.latitude) * RADIANS) / 2);
  const along = Math.sin(((longitude - circle.longitude) * RADIANS) / 2);
  const haversine =
    across * across +
    Math.cos(latitude * RADIANS) * Math.cos(circle.latitude * RADIANS) * along * along;
  return haversine <= Math.sin(halfAngle) ** 2;
};

const whole: Box = { west: -180, south: -90, east: 180, north: 90 };

/** The box as one or two boxes that do not cross the date line. */
export const spansOf = (box: Box): Box[] =>
  box.west <= box.east ? [box] : [{ ...box, east: whole.east }, { ...box, west: whole.west }];

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
  longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude;
