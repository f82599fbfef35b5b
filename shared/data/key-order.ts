const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/**
 * A value with the names in its maps in order, at every depth. The table keeps none, so what is read twice may come in two
 * orders; an answer that shows such maps needs one, because its tag stands for its bytes.
 */
export const inKeyOrder = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map((one: unknown) => inKeyOrder(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(byName);
  return Object.fromEntries(entries.map(([name, one]) => [name, inKeyOrder(one)])) as T;
};
