import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { decimalParameter, wholeNumber } from '#contract/fields.ts';
import { wrapped } from '#contract/longitude.ts';
import { BoundingBox, Point } from '#contract/places.ts';

const RUNS = { seed: 20261128, numRuns: 2000 };

/** Without -0, which is printed as 0. */
const decimals = (bounds: fc.DoubleConstraints) =>
  fc.double({ ...bounds, noNaN: true }).map((value) => (value === 0 ? 0 : value));
const finite = decimals({ noDefaultInfinity: true });

/** A number as programs print it, with all its digits. */
const notations: readonly ((value: number) => string)[] = [
  String,
  (value) => value.toExponential(),
  (value) => value.toPrecision(17),
  (value) => value.toExponential().toUpperCase(),
  (value) => ` ${value} `,
  (value) => (value < 0 ? String(value) : `+${value}`),
  // As a plus sign that is not escaped arrives.
  (value) => value.toExponential().replace('+', ' '),
];

it('a decimal in a query is any finite number, in any notation', () => {
  fc.assert(
    fc.property(finite, fc.constantFrom(...notations), (value, notation) => {
      expect(decimalParameter('degrees').parse(notation(value))).toBe(value);
    }),
    RUNS,
  );
});

it('a whole number in a query is one in any notation', () => {
  const schema = wholeNumber(-1e6, 1e6);
  fc.assert(
    fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.constantFrom(...notations), (value, notation) => {
      expect(schema.parse(notation(value))).toBe(value);
    }),
    RUNS,
  );
});

it.each(['', '.', '1e', '1e999', '0x10', '1_000', '1,5', 'NaN', 'Infinity', '١', '−1'])(
  '"%s" is no decimal in a query',
  (text) => {
    expect(decimalParameter('degrees').safeParse(text).success).toBe(false);
  },
);

it('a wrapped longitude lies within ±180 and differs by whole turns', () => {
  const eighths = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 8);
  fc.assert(
    fc.property(fc.oneof(eighths, finite), (longitude) => {
      const meridian = wrapped(longitude);
      expect(Math.abs(meridian)).toBeLessThanOrEqual(180);
      if (Math.abs(longitude) < 1e6) expect(Math.abs((longitude - meridian) % 360)).toBeCloseTo(0, 6);
      expect(wrapped(meridian)).toBe(meridian);
    }),
    RUNS,
  );
});

/** In eighths of degrees sums are exact. */
const longitude = fc.oneof(
  fc.integer({ min: -12_000, max: 12_000 }).map((eighths) => eighths / 8),
  fc.constantFrom(-720, -540, -360, -180, 0, 180, 360, 540, 720),
);
const meridians = fc.oneof(
  fc.integer({ min: -1440, max: 1440 }).map((eighths) => eighths / 8),
  fc.constantFrom(-180, 180),
);

const isBetween = ([west, , east]: z.output<typeof BoundingBox>, meridian: number): boolean =>
  west <= east ? west <= meridian && meridian <= east : west <= meridian || meridian <= east;

it('a box has the meridians from its west eastwards to its east, whatever turns they are given with', () => {
  const turns = Array.from({ length: 30 }, (_, turn) => 360 * (turn - 15));
  fc.assert(
    fc.property(longitude, longitude, meridians, (west, east, meridian) => {
      const [left, south, right, north] = BoundingBox.parse(`${west},-1,${east},1`);
      expect([south, north]).toEqual([-1, 1]);
      expect(Math.max(Math.abs(left), Math.abs(right))).toBeLessThanOrEqual(180);
      const isIn = (one: number): boolean => isBetween([left, south, right, north], one);
      // East of west by less than one turn, unless the box was wider.
      const end = east >= west ? east : east + 360 * Math.ceil((west - east) / 360);
      const isGiven = turns.some((turn) => west <= meridian + turn && meridian + turn <= end);
      expect(isIn(meridian) || (Math.abs(meridian) === 180 && isIn(-meridian))).toBe(isGiven);
      expect(left === -180 && right === 180).toBe(east - west >= 360);
    }),
    { ...RUNS, numRuns: 20_000 },
  );
});

it('a listing on the edge of a wrapped box is inside, whatever digits its longitude has', () => {
  const digits = fc.integer({ min: 0, max: 9 });
  const inside = fc.double({ min: -179, max: 179, noNaN: true });
  fc.assert(
    fc.property(inside, digits, fc.constantFrom(-720, -360, 360, 720), (value, places, turn) => {
      const meridian = value.toFixed(places);
      // The sum as a decimal number, which a double may not be.
      const edge = `${BigInt(meridian.replace('.', '')) + BigInt(turn) * 10n ** BigInt(places)}e-${places}`;
      for (const [west, east] of [
        [edge, edge],
        [edge, String(Number(edge) + 1)],
        [String(Number(edge) - 1), edge],
      ]) {
        const box = `${west},0,${east},1`;
        expect([box, isBetween(BoundingBox.parse(box), Number(meridian))]).toEqual([box, true]);
      }
      expect(BoundingBox.parse(`${meridian},0,${Number(meridian) + 360},1`)).toEqual([-180, 0, 180, 1]);
    }),
    RUNS,
  );
});

it('a box and a point have any finite decimals within their bounds', () => {
  const latitude = decimals({ min: -90, max: 90 });
  const within = decimals({ min: -180, max: 180 });
  fc.assert(
    fc.property(fc.tuple(finite, finite), fc.tuple(latitude, latitude), within, ([west, east], latitudes, lon) => {
      const [south, north] = latitudes.toSorted((one, other) => one - other) as [number, number];
      const box = BoundingBox.parse([west, south, east, north].join(','));
      expect([box[1], box[3]]).toEqual([south, north]);
      expect(box.every(Number.isFinite)).toBe(true);
      expect(Point.parse([south, lon].map((value) => value.toExponential()).join(','))).toEqual([south, lon]);
    }),
    RUNS,
  );
});
