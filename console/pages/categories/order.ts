import type { Category } from '#contract/categories.ts';

/** The categories of one group; null is the group of those without. */
export interface Sphere {
  readonly name: string | null;
  readonly categories: readonly Category[];
}

/** The groups in the order of their first categories. */
export const spheresOf = (categories: readonly Category[]): readonly Sphere[] =>
  [...Map.groupBy(categories, ({ sphere }) => sphere)].map(([name, grouped]) => ({ name, categories: grouped }));

/** The categories as they are shown: by group. */
export const shownOrder = (categories: readonly Category[]): readonly Category[] =>
  spheresOf(categories).flatMap((sphere) => sphere.categories);

/** Puts a category before or after another one, and into its group. */
export const placed = (
  categories: readonly Category[],
  id: string,
  target: string,
  edge: 'before' | 'after',
): readonly Category[] => {
  const moved = categories.find((one) => one.id === id);
  const neighbour = categories.find((one) => one.id === target);
  if (!moved || !neighbour || moved === neighbour) return categories;
  const next = shownOrder(categories).filter((one) => one !== moved);
  const at = next.indexOf(neighbour) + (edge === 'after' ? 1 : 0);
  return next.toSpliced(at, 0, { ...moved, sphere: neighbour.sphere });
};

/** Moves a category by one position; at the edge of its group into the next one. */
export const stepped = (categories: readonly Category[], id: string, step: -1 | 1): readonly Category[] => {
  const shown = shownOrder(categories);
  const at = shown.findIndex((one) => one.id === id);
  const { [at]: moved, [at + step]: neighbour } = shown;
  if (!moved || !neighbour) return categories;
  // Crossing the edge changes the group and keeps the position beside the neighbour.
  const edge = (step === -1) === (moved.sphere === neighbour.sphere) ? 'before' : 'after';
  return placed(categories, id, neighbour.id, edge);
};

/** Moves a group by one position. */
export const steppedSphere = (
  categories: readonly Category[],
  name: string | null,
  step: -1 | 1,
): readonly Category[] => {
  const spheres = [...spheresOf(categories)];
  const at = spheres.findIndex((sphere) => sphere.name === name);
  const { [at]: moved } = spheres;
  if (!moved || !(at + step in spheres)) return categories;
  return spheres
    .toSpliced(at, 1)
    .toSpliced(at + step, 0, moved)
    .flatMap((sphere) => sphere.categories);
};

interface Position {
  readonly id: string;
  readonly sort_order: number;
  readonly sphere: string | null;
}

/** What has to be written so that the categories have this order: only those whose position or group differs. */
export const changedPositions = (before: readonly Category[], after: readonly Category[]): readonly Position[] => {
  const known = new Map(before.map((one) => [one.id, one]));
  return after.flatMap(({ id, sphere }, sort_order) => {
    const old = known.get(id);
    return old && old.sort_order === sort_order && old.sphere === sphere ? [] : [{ id, sort_order, sphere }];
  });
};
