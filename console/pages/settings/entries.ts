/** A link of the site. */
export interface Link {
  readonly label: string;
  readonly url: string;
}

/** A value of a setting; an empty text stands for its default. */
export type Value = string | boolean | readonly Link[];

/** The values of a setting by their path, such as `colors.light.primary`. */
export type Entries = Readonly<Record<string, Value>>;

export const entriesOf = (setting: object, prefix = ''): Entries =>
  Object.fromEntries(
    Object.entries(setting).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(entriesOf(value as object, `${prefix}${name}.`))
        : [[`${prefix}${name}`, (value ?? '') as Value]],
    ),
  );

/** Whether two values are the same, lists by their entries. */
export const areSame = (one: Value | undefined, other: Value | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

interface Update {
  [name: string]: Update | Value | null;
}

/** The update that turns one state into another: what differs, with null for what goes back to its default. */
export const updateBetween = (before: Entries, after: Entries): Update => {
  const update: Update = {};
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (areSame(before[path], after[path])) continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    let part = update;
    for (const name of names) {
      part[name] ??= {};
      part = part[name] as Update;
    }
    part[last] = after[path] === '' ? null : (after[path] ?? null);
  }
  return update;
};
