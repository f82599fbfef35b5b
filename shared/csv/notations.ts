/** Notations of times and places in the cells of other products. */

const TIME = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?(?: ?(?:z|utc|([+-]\d\d)(?::?(\d\d))?))?)?$/i;

/** Whether a cell is a time in a notation that `timeOf` reads. */
export const isTime = (cell: string): boolean => TIME.test(cell);

/** A time in ISO 8601. A day is its start, and a time without an offset is in UTC. Any other text stays as it is. */
export const timeOf = (cell: string): string => {
  const [all, day, time = '00:00', seconds = '00', hours, minutes = '00'] = TIME.exec(cell) ?? [];
  if (all === undefined) return cell;
  return `${day}T${time}:${seconds}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A comma is a decimal separator: degrees need no separator of thousands. */
const numberOf = (text: string): number => {
  const withPoint = text.replace(',', '.');
  return NUMBER.test(withPoint) ? Number(withPoint) : Number.NaN;
};

const directions = { latitude: ['N', 'S'], longitude: ['E', 'W'] } as const;

/** Longer cells are no places. The patterns below take the cube of the time for some texts. */
const PLACE_CHARACTERS_MAX = 100;

/** Degrees between an optional direction before and after them. */
const DEGREES = /^([NSEW])?\s*(.*?)\s*[°º]?\s*([NSEW])?$/i;

/** A number of degrees, such as `-33.9`, `33,9° S` or `S 33.9`; NaN for any other text. */
export const degreesOf = (cell: string, axis: keyof typeof directions): number => {
  if (cell.length > PLACE_CHARACTERS_MAX) return Number.NaN;
  const [, before = '', text = '', after = ''] = DEGREES.exec(cell.trim().replaceAll('\u2212', '-')) ?? [];
  const value = numberOf(text);
  const direction = `${before}${after}`.toUpperCase();
  if (direction === '') return value;
  const [positive, negative] = directions[axis];
  const isSigned = /^[+-]/.test(text);
  if (isSigned || (direction !== positive && direction !== negative)) return Number.NaN;
  return direction === negative ? 0 - value : value;
};

/** What may stand between latitude and longitude, the most certain first: a comma may also be a decimal one. */
const betweenDegrees = [/\s*;\s*/, /\s*,\s+/, /(?<=[NS])\s*,?\s*(?=.)/i, /\s+/, /,/];

/** A latitude and a longitude in one cell, such as `48.85, 2.35`; undefined for any other text. */
export const placeOf = (cell: string): { readonly latitude: number; readonly longitude: number } | undefined => {
  if (cell.length > PLACE_CHARACTERS_MAX) return undefined;
  const inner = cell.trim().replace(/^[([](.*)[)\]]$/s, '$1');
  for (const between of betweenDegrees) {
    const [first, second, ...others] = inner.split(between);
    if (first === undefined || second === undefined || others.length > 0) continue;
    const [latitude, longitude] = [degreesOf(first, 'latitude'), degreesOf(second, 'longitude')];
    if (!Number.isNaN(latitude) && !Number.isNaN(longitude)) return { latitude, longitude };
  }
  return undefined;
};
