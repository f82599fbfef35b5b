import { type CustomValue, type FieldType, type Hours, weekdays } from '#contract/custom-fields.ts';
import { type CurrentField, Fields } from '#model/field.ts';
import type { FieldCondition } from '#model/field-filter.ts';
import type { ProjectRecord } from '#model/project.ts';
import { field as definition } from './fixtures.ts';
import { plainFold } from './plain-fold.ts';
import type { Random } from './random.ts';

// Random definitions and values of fields, and what they mean, implemented as plainly as possible.

const types: readonly FieldType[] = ['text', 'number', 'select', 'multi_select', 'boolean', 'date', 'hours', 'number'];
const options = ['a', 'b', 'c', 'd'];
const texts = ['Café', 'cafe', 'Zürich', 'x', 'true', 'Open Source tool', '東京 to'];
const labels = ['Toolbox', 'open source', 'Straße', '東京都', 'a'];
const numbers = [-3, -0.5, 0, 1, 2, 10, 1e9];
const dates = ['0000-01-01', '1969-12-31', '1970-01-01', '2026-02-28', '2026-11-24', '9999-12-31'];
const times = ['00:00', '06:30', '09:00', '17:30', '22:00', '23:59'];
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'];

/** Around the changes of clocks in March and November of 2026, and at any other time of these months. */
const randomTime = (random: Random): number =>
  random.pick([Date.UTC(2026, 2, 29, 0, 30), Date.UTC(2026, 10, 1, 5, 30), Date.UTC(2026, 10, 20, 8)]) +
  random.below(7 * 24 * 60) * 60_000;

const idOf = (number: number): string => `fld_${number}`;

/** Some of the definitions, with other options and categories each time. The type of an id never changes. */
export const randomFields = (random: Random, slugs: readonly string[]): Fields =>
  new Fields(
    types.flatMap((type, number): CurrentField[] => {
      if (random.chance(0.2)) return [];
      const isNumber = type === 'number' || type === 'boolean' || type === 'date';
      const chosen = random.some(options, 6);
      const within = random.chance(0.6) ? undefined : new Set(random.some(slugs, 4));
      return [
        definition({
          id: idOf(number),
          key: `${type}_${number}`,
          type,
          options: type.endsWith('select') ? chosen.map((value) => ({ value, label: random.pick(labels) })) : [],
          access: random.pick(['public', 'public', 'public', 'owner', 'staff']),
          filterable: true,
          sortable: isNumber,
          searchable: (type === 'text' || type.endsWith('select')) && random.chance(0.7),
          sort_order: random.below(3),
          within,
        }),
      ];
    }),
  );

const randomHours = (random: Random): Hours => ({
  zone: random.pick(zones),
  week: Object.fromEntries(
    weekdays.flatMap((day) => {
      const [from, to] = [random.pick(times), random.pick(['00:00', '02:00', '12:00', '24:00'])];
      return from === to || random.chance(0.3) ? [] : [[day, [[from, to]]]];
    }),
  ),
  closed: random.some(['2026-03-29', '2026-11-01', '2026-11-21'], 2).sort(),
});

const randomValue = (random: Random, type: FieldType): CustomValue => {
  switch (type) {
    case 'number':
      return random.pick(numbers);
    case 'select':
      return random.pick(options);
    case 'multi_select':
      return options.filter(() => random.chance(0.5));
    case 'boolean':
      return random.chance(0.5);
    case 'date':
      return random.pick(dates);
    case 'hours':
      return randomHours(random);
    default:
      return random.pick(texts);
  }
};

/** The stored values of a listing. */
export const randomValues = (random: Random): string | null => {
  const values = types.flatMap((type, number) =>
    random.chance(0.4) ? [] : [[idOf(number), randomValue(random, type)]],
  );
  return values.length === 0 ? null : JSON.stringify(Object.fromEntries(values));
};

export const randomCondition = (random: Random, { type }: CurrentField): FieldCondition => {
  if (random.chance(0.15)) return { kind: 'present' };
  switch (type) {
    case 'number':
    case 'date': {
      const all = type === 'number' ? numbers : dates.map(plainNumber);
      const [one, other] = [random.pick(all), random.pick(all)];
      const from = random.chance(0.2) ? Number.NEGATIVE_INFINITY : Math.min(one, other);
      return { kind: 'range', from, to: random.chance(0.2) ? Number.POSITIVE_INFINITY : Math.max(one, other) };
    }
    case 'hours':
      return { kind: 'open', at: randomTime(random) };
    case 'text':
      return { kind: 'any', values: [random.pick([...texts, 'CAFÉ', 'absent'])] };
    case 'boolean':
      return { kind: 'any', values: random.pick([['true'], ['false'], ['true', 'false']]) };
    default: {
      const values = [random.pick([...options, 'absent']), ...random.some(options, 2)];
      return { kind: type === 'multi_select' && random.chance(0.5) ? 'all' : 'any', values: [...new Set(values)] };
    }
  }
};

/** What is shown of the value of a field. */
export const plainValue = (
  { id, type, options: known, within }: CurrentField,
  { field_values: stored, categories }: ProjectRecord,
): CustomValue | undefined => {
  const value = (JSON.parse(stored ?? '{}') as Record<string, CustomValue>)[id];
  if (value === undefined || (within && !categories.some((slug) => within.has(slug)))) return undefined;
  const values = known.map((option) => option.value);
  if (type === 'select') return values.includes(String(value)) ? value : undefined;
  if (type !== 'multi_select') return value;
  const chosen = values.filter((one) => (value as string[]).includes(one));
  return chosen.length > 0 ? chosen : undefined;
};

/** The texts of a listing's fields that searches by words find. */
export const plainFieldTexts = (fields: Fields, listing: ProjectRecord): string[] =>
  fields.all.flatMap((field) => {
    const value = plainValue(field, listing);
    if (value === undefined || !field.searchable || field.access !== 'public') return [];
    const labelOf = (one: string) => field.options.find((option) => option.value === one)?.label ?? one;
    return [value].flat().map((one) => labelOf(String(one)));
  });

/** The number that a number, a date or a boolean sorts by. */
export const plainNumber = (value: CustomValue): number =>
  typeof value === 'string' ? Date.parse(value) / 86_400_000 : Number(value);

/** A time such as `2026-11-24 09:30` that clocks of a zone show. */
const clockOf = (zone: string, at: number): string =>
  new Date(at).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16);

const plainIsOpen = ({ zone, week, closed }: Hours, at: number): boolean => {
  const clock = clockOf(zone, at);
  return [0, 1].some((daysBefore) => {
    const begin = new Date(`${clock.slice(0, 10)}T00:00:00Z`);
    begin.setUTCDate(begin.getUTCDate() - daysBefore);
    const date = begin.toISOString().slice(0, 10);
    if (closed.includes(date)) return false;
    const day = weekdays[(begin.getUTCDay() + 6) % 7] ?? 'mo';
    return (week[day] ?? []).some(([from = '', to = '']) => {
      const end = new Date(begin);
      if (to < from || to === '24:00') end.setUTCDate(end.getUTCDate() + 1);
      const last = `${end.toISOString().slice(0, 10)} ${to === '24:00' ? '00:00' : to}`;
      return `${date} ${from}` <= clock && clock < last;
    });
  });
};

export const plainMatches = (field: CurrentField, condition: FieldCondition, project: ProjectRecord): boolean => {
  const value = plainValue(field, project);
  if (value === undefined) return false;
  const values = [value].flat().map((one) => (field.type === 'text' ? plainFold(String(one)) : String(one)));
  switch (condition.kind) {
    case 'present':
      return true;
    case 'any':
      return condition.values.some((one) => values.includes(field.type === 'text' ? plainFold(one) : one));
    case 'all':
      return condition.values.every((one) => values.includes(one));
    case 'range':
      return condition.from <= plainNumber(value) && plainNumber(value) <= condition.to;
    case 'open':
      return plainIsOpen(value as Hours, condition.at);
  }
};
