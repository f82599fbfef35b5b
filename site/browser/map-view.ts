// What of the world a map shows: its projection, its box for the API, and how it moves.

import { type GeoProjection, geoDistance, geoMercator, geoOrthographic } from 'd3-geo';
import { wrapped } from '#contract/longitude.ts';

/** A place as longitude and latitude, in degrees. */
export type Place = readonly [longitude: number, latitude: number];

export interface View {
  readonly center: Place;
  /** As in the tiles of web maps: the world has 256 pixels at zoom 0. Fractions are allowed. */
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const ZOOM_MAX = 20;
/** A globe that is this near looks flat, and is drawn as a plane. */
const GLOBE_ZOOM_MAX = 5;
/** Where the Web Mercator map ends. */
const LATITUDE_MAX = 85.05;
const TILE = 256;
const DEGREES = 180 / Math.PI;

const scaleOf = (zoom: number): number => (TILE * 2 ** zoom) / (2 * Math.PI);

export const isGlobe = (kind: 'globe' | 'mercator', { zoom }: View): boolean =>
  kind === 'globe' && zoom < GLOBE_ZOOM_MAX;

/** The least zoom: the globe fits into the view, and the plane fills it. */
export const leastZoom = (kind: 'globe' | 'mercator', { width, height }: Size): number =>
  kind === 'globe'
    ? Math.log2((Math.min(width, height) * 0.47 * 2 * Math.PI) / TILE)
    : Math.max(0, Math.log2(Math.max(width, height) / TILE));

export const projectionOf = (kind: 'globe' | 'mercator', view: View, { width, height }: Size): GeoProjection => {
  const [longitude, latitude] = view.center;
  const scale = scaleOf(view.zoom);
  if (isGlobe(kind, view)) {
    return geoOrthographic()
      .rotate([-longitude, -latitude])
      .scale(scale)
      .translate([width / 2, height / 2]);
  }
  const flat = geoMercator()
    .scale(scale)
    .rotate([-longitude, 0])
    .translate([width / 2, 0]);
  const [, y = 0] = flat([longitude, latitude]) ?? [];
  return flat.translate([width / 2, height / 2 - y]).clipExtent([
    [-width, -height],
    [2 * width, 2 * height],
  ]);
};

const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** A view within the bounds of the world. */
export const boundedView = (kind: 'globe' | 'mercator', { center, zoom }: View, size: Size): View => {
  const bounded = between(zoom, leastZoom(kind, size), ZOOM_MAX);
  if (isGlobe(kind, { center, zoom: bounded }))
    return { center: [wrapped(center[0]), between(center[1], -90, 90)], zoom: bounded };
  // The edges of the plane do not come into the view.
  const flat = geoMercator().scale(scaleOf(bounded)).translate([0, 0]);
  const edge = Math.max(0, TILE * 2 ** (bounded - 1) - size.height / 2);
  const [, y = 0] = flat([0, between(center[1], -LATITUDE_MAX, LATITUDE_MAX)]) ?? [];
  const [, latitude = 0] = flat.invert?.([0, between(y, -edge, edge)]) ?? [];
  return { center: [wrapped(center[0]), latitude], zoom: bounded };
};

/** The view after the map was dragged by some pixels. */
export const moved = (kind: 'globe' | 'mercator', view: View, [x, y]: Place, size: Size): View => {
  if (isGlobe(kind, view)) {
    const turn = DEGREES / scaleOf(view.zoom);
    const [longitude, latitude] = view.center;
    const stretch = Math.max(0.2, Math.cos(latitude / DEGREES));
    return boundedView(kind, { ...view, center: [longitude - (x * turn) / stretch, latitude + y * turn] }, size);
  }
  const center = projectionOf(kind, view, size).invert?.([size.width / 2 - x, size.height / 2 - y]);
  return center ? boundedView(kind, { ...view, center: [center[0], center[1]] }, size) : view;
};

/** The view at another zoom; the place below a point stays there. */
export const zoomed = (
  kind: 'globe' | 'mercator',
  view: View,
  zoom: number,
  size: Size,
  [x, y]: Place = [size.width / 2, size.height / 2],
): View => {
  const next = boundedView(kind, { ...view, zoom }, size);
  const place = projectionOf(kind, view, size).invert?.([x, y]);
  const after = place && projectionOf(kind, next, size)(place);
  return after && after.every(Number.isFinite) ? moved(kind, next, [x - after[0], y - after[1]], size) : next;
};

/** The box of the API that contains all that is in the view: west, south, east, north. Longitudes may be beyond ±180. */
export const boxOf = (kind: 'globe' | 'mercator', view: View, size: Size): readonly number[] => {
  const [longitude, latitude] = view.center;
  if (isGlobe(kind, view)) {
    const reach = Math.hypot(size.width, size.height) / 2 / scaleOf(view.zoom);
    const radius = (reach >= 1 ? Math.PI / 2 : Math.asin(reach)) * DEGREES;
    const [south, north] = [Math.max(-90, latitude - radius), Math.min(90, latitude + radius)];
    if (south === -90 || north === 90) return [-180, south, 180, north];
    const ratio = Math.sin(radius / DEGREES) / Math.cos(latitude / DEGREES);
    const half = Math.asin(Math.min(1, ratio)) * DEGREES;
    return [longitude - half, south, longitude + half, north];
  }
  const half = (size.width / 2 / (TILE * 2 ** view.zoom)) * 360;
  const flat = projectionOf(kind, view, size).clipExtent(null);
  const [, north = LATITUDE_MAX] = flat.invert?.([size.width / 2, 0]) ?? [];
  const [, south = -LATITUDE_MAX] = flat.invert?.([size.width / 2, size.height]) ?? [];
  return [longitude - half, south, longitude + half, north];
};

/** Where a place is in the view, in pixels; undefined on the far side of a globe. */
export const pointOf = (
  kind: 'globe' | 'mercator',
  view: View,
  projection: GeoProjection,
  place: Place,
): Place | undefined => {
  if (isGlobe(kind, view) && geoDistance([...view.center], [...place]) > Math.PI / 2) return undefined;
  const point = projection([...place]);
  return point ? [point[0], point[1]] : undefined;
};
