import type { ItemChange } from '#contract/projects.ts';
import { firstCharacters } from './characters.ts';
import { isSameValue } from './revision.ts';

type Value = ItemChange['before'];

const shortList = (entries: readonly string[], max: number): string[] => {
  let left = max;
  return entries.flatMap((entry) => {
    if (left === 0) return [];
    const part = firstCharacters(entry, left);
    left -= Array.from(part).length;
    return [part];
  });
};

const shortValue = (value: Value, max: number): Value => {
  if (typeof value === 'string') return firstCharacters(value, max);
  if (Array.isArray(value)) return shortList(value, max);
  return typeof value === 'object' && JSON.stringify(value).length > max ? null : value;
};

/** A change whose values have at most `max` characters; a list has them together. A longer value of another kind is null: a part of it would say something else. */
export const shortChange = (change: ItemChange, max: number): ItemChange => {
  const [before, after] = [shortValue(change.before, max), shortValue(change.after, max)];
  const isWhole = isSameValue(before, change.before) && isSameValue(after, change.after);
  return isWhole ? change : { field: change.field, before, after, truncated: true };
};
