import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { degreesOf, isTime, placeOf, timeOf } from '#shared/csv/notations.ts';

it.each([
  ['2024-05-01', '2024-05-01T00:00:00Z'],
  ['2024-05-01T10:20:30Z', '2024-05-01T10:20:30Z'],
  ['2024-05-01 10:20:30', '2024-05-01T10:20:30Z'],
  ['2024-05-01 10:20', '2024-05-01T10:20:00Z'],
  ['2024-05-01t10:20z', '2024-05-01T10:20:00Z'],
  ['2024-05-01 10:20:30.123456+01', '2024-05-01T10:20:30.123456+01:00'],
  ['2024-05-01 10:20:30 -0330', '2024-05-01T10:20:30-03:30'],
  ['2024-05-01T10:20+05:45', '2024-05-01T10:20:00+05:45'],
  ['2024-05-01 10:20:30 UTC', '2024-05-01T10:20:30Z'],
])('the time %s is %s', (cell, time) => {
  expect(isTime(cell)).toBe(true);
  expect(timeOf(cell)).toBe(time);
});

it.each(['', 'yesterday', '01.05.2024', '2024-05-01 +01', '2024-05-01 10', '2024-05-01 10:20 CET', '2024-05-01T1:20'])(
  '%j is no time, and stays as it is',
  (cell) => {
    expect(isTime(cell)).toBe(false);
    expect(timeOf(cell)).toBe(cell);
  },
);

it.each([
  ['48.8566', 48.8566],
  ['48,8566', 48.8566],
  ['+48.8566', 48.8566],
  ['\u221233.9', -33.9],
  ['33,9° S', -33.9],
  ['33.9°N', 33.9],
  ['s 33.9', -33.9],
  ['N33.9º', 33.9],
  ['1e-7', 1e-7],
  ['0 S', 0],
  ['.5', 0.5],
])('the latitude %s is %d', (cell, degrees) => {
  expect(degreesOf(cell, 'latitude')).toBe(degrees);
});

it.each(['', 'N', '33.9 E', 'N 33.9 N', '-33.9 S', "33°54'", '1.234,5', '12 34', '--1', 'x', '33.9 O', '33.9NS'])(
  '%j is no latitude',
  (cell) => {
    expect(degreesOf(cell, 'latitude')).toBeNaN();
  },
);

it.each([
  ['2,3522 W', -2.3522],
  ['12e', 12],
  ['E 2', 2],
])('the longitude %s is %d', (cell, degrees) => {
  expect(degreesOf(cell, 'longitude')).toBe(degrees);
});

it.each([
  ['48.8566, 2.3522', 48.8566, 2.3522],
  ['48.8566,2.3522', 48.8566, 2.3522],
  ['48.8566 ,2.3522', 48.8566, 2.3522],
  ['48.8566 2.3522', 48.8566, 2.3522],
  ['48,8566; 2,3522', 48.8566, 2.3522],
  ['48,8566;2,3522', 48.8566, 2.3522],
  ['48,8566, 2,3522', 48.8566, 2.3522],
  ['48,8566 2,3522', 48.8566, 2.3522],
  ['(-33.8688, 151.2093)', -33.8688, 151.2093],
  ['[\u221233.8688,\u2212151.2093]', -33.8688, -151.2093],
  ['33.8688° S, 151.2093° E', -33.8688, 151.2093],
  ['33.8688° S 151.2093° E', -33.8688, 151.2093],
  ['33.8688S151.2093E', -33.8688, 151.2093],
  ['S 33.8688, W 151.2093', -33.8688, -151.2093],
  ['S33,8688 W151,2093', -33.8688, -151.2093],
  ['48, 2', 48, 2],
])('the place %s is at %d, %d', (cell, latitude, longitude) => {
  expect(placeOf(cell)).toEqual({ latitude, longitude });
});

it.each(['', '48.8566', '48,8566,2,3522', '1, 2, 3', 'Paris', '48.8 E, 2.3 N', 'POINT(2.35 48.85)', '48.8566, ', ','])(
  '%j is no place',
  (cell) => {
    expect(placeOf(cell)).toBeUndefined();
  },
);

it('a long cell is no place, and is not looked at', () => {
  for (const text of [`1${' '.repeat(100_000)}x`, '1'.repeat(100_000), `${' '.repeat(100_000)};1`]) {
    expect(degreesOf(text, 'latitude')).toBeNaN();
    expect(placeOf(text)).toBeUndefined();
  }
});

it('a place is read in every combination of notations that people write', () => {
  const degrees = (max: number) =>
    fc.integer({ min: -max * 1e6, max: max * 1e6 }).map((millionths) => millionths / 1e6);
  const style = fc.record({
    decimal: fc.constantFrom('.', ','),
    between: fc.constantFrom(', ', '; ', ';', ' '),
    minus: fc.constantFrom('-', '\u2212', 'letter'),
    sign: fc.constantFrom('', '°', ' °'),
  });
  fc.assert(
    fc.property(degrees(90), degrees(180), style, (latitude, longitude, { decimal, between, minus, sign }) => {
      const print = (value: number, [positive, negative]: readonly [string, string]) => {
        const digits = Math.abs(value).toFixed(6).replace('.', decimal);
        if (minus === 'letter') return `${digits}${sign.trim()}${value < 0 ? negative : positive}`;
        return `${value < 0 ? minus : ''}${digits}${sign.trim()}`;
      };
      const cell = [print(latitude, ['N', 'S']), print(longitude, ['E', 'W'])].join(between);
      expect(placeOf(cell)).toEqual({ latitude: latitude || 0, longitude: longitude || 0 });
    }),
    { seed: 1 },
  );
});
