import { fieldItem, fieldsVersionItem } from '#data/custom-fields.ts';
import type { Item } from '#data/read.ts';
import { type FieldRecord, Fields } from '#model/field.ts';

/** The fields of a generated directory: ten definitions, of which a listing has most values. */

export const LEVELS = ['beginner', 'easy', 'medium', 'hard', 'expert', 'any'];
export const PLATFORMS = ['web', 'ios', 'android', 'macos', 'windows', 'linux', 'api', 'cli', 'watch', 'tv'];
const LICENCES = ['mit', 'apache', 'gpl', 'bsd', 'mpl', 'proprietary'];
export const PRICES = 2000;
const TEAMS = 500;
/** The share of listings without a value of a field. */
const WITHOUT_VALUE = 0.15;

const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

type Shape = Pick<FieldRecord, 'key' | 'type'> & Partial<FieldRecord>;

const shapes: readonly Shape[] = [
  { key: 'price', type: 'number', sortable: true },
  { key: 'team', type: 'number', sortable: true },
  { key: 'score', type: 'number', sortable: true },
  { key: 'level', type: 'select', options: optionsOf(LEVELS) },
  { key: 'licence', type: 'select', options: optionsOf(LICENCES) },
  { key: 'platforms', type: 'multi_select', options: optionsOf(PLATFORMS) },
  { key: 'self_hosted', type: 'boolean' },
  { key: 'verified', type: 'boolean' },
  { key: 'since', type: 'date', sortable: true },
  { key: 'motto', type: 'text' },
];

const records: readonly FieldRecord[] = shapes.map((shape, number) => ({
  id: `fld_01J${String(number).padStart(23, '0')}`,
  label: shape.key,
  help: null,
  unit: null,
  options: [],
  categories: [],
  required: false,
  access: 'public',
  edit: 'owner',
  filterable: true,
  sortable: false,
  searchable: false,
  in_card: false,
  min: null,
  max: null,
  sort_order: number,
  deleted_at: null,
  version: 1,
  ...shape,
}));

export const generatedFields = new Fields(records.map((record) => ({ ...record, slugs: [], within: undefined })));

/** The items of the definitions, as the service writes them. */
export const itemsOfFields = (): Item[] => [...records.map(fieldItem), fieldsVersionItem(records.length)];

/**
 * The stored values of a listing.
 * @param next random numbers from 0 to below 1.
 */
export const fieldValues = (next: () => number): string => {
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = (list: readonly string[]): string => list[below(list.length)] as string;
  const values: Readonly<Record<string, unknown>> = {
    price: below(PRICES),
    team: below(TEAMS),
    score: below(1000) / 10,
    level: pick(LEVELS),
    licence: pick(LICENCES),
    platforms: [...new Set(Array.from({ length: 1 + below(4) }, () => pick(PLATFORMS)))].sort(
      (one, other) => PLATFORMS.indexOf(one) - PLATFORMS.indexOf(other),
    ),
    self_hosted: next() < 0.3,
    verified: next() < 0.8,
    since: new Date(Date.UTC(2000, 0, 1 + below(9000))).toISOString().slice(0, 10),
    motto: `${pick(LEVELS)} ${pick(PLATFORMS)}`,
  };
  const present = records.filter(() => next() >= WITHOUT_VALUE);
  return JSON.stringify(Object.fromEntries(present.map(({ id, key }) => [id, values[key]])));
};
