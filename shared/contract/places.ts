import * as z from 'zod';
import { decimal, decimalParameter } from './fields.ts';
import { wrapped } from './longitude.ts';

export const Latitude = decimal().min(-90).max(90);
export const Longitude = decimal().min(-180).max(180);

const degrees = decimalParameter('degrees');

/**
 * What sums of 360 and a longitude may be off, in degrees; a tenth of a millimetre on the ground. A box that is wrapped is wider
 * by it, so that listings on its edges are inside: 232.2 - 360 is less than -127.8.
 */
const ROUNDING = 1e-9;

/** @param outward with the sign of the direction that leads out of the box. */
const wrappedEdge = (longitude: number, outward: number): number =>
  Math.abs(longitude) <= 180 ? longitude : wrapped(longitude + outward);

/**
 * `west,south,east,north` in a query. Maps that repeat the world have longitudes beyond ±180: they are wrapped.
 * The result lies within ±180; it is -180..180 for the whole world only, and west is greater than east across the date line.
 */
export const BoundingBox = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([degrees, degrees, degrees, degrees], { error: 'must be west,south,east,north in degrees' }))
  .refine(([, south, , north]) => south >= -90 && north <= 90, { error: 'must have latitudes within -90..90' })
  .refine(([, south, , north]) => south <= north, { error: 'must not have a south that is greater than its north' })
  .overwrite(([west, south, east, north]) =>
    east - west >= 360 - 2 * ROUNDING
      ? [-180, south, 180, north]
      : [wrappedEdge(west, -ROUNDING), south, wrappedEdge(east, ROUNDING), north],
  );

/** `latitude,longitude` in a query. */
export const Point = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.tuple([degrees, degrees], { error: 'must be latitude,longitude in degrees' }))
  .refine(([latitude, longitude]) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180, {
    error: 'must lie within -90..90 and -180..180',
  });

/** The radius of a circle in a query, in kilometres: at most half the circumference of the Earth. */
export const Radius = decimalParameter('kilometres').pipe(
  z.number().gt(0, { error: 'must be greater than 0' }).max(20_040, { error: 'must be at most 20040' }),
);
