/**
 * Values with members that callers name are stored as JSON text. A map of the table cannot have all names: its client takes a member
 * `constructor` for the type of the value and drops `__proto__`, and the table accepts no empty name and does not keep the order.
 */
export const toJsonText = (value: unknown): string => JSON.stringify(value ?? null);

/** The value of a stored text, or the map that an earlier version has stored in its place; null for undefined. */
export const fromJsonText = (stored: unknown): unknown =>
  typeof stored === 'string' ? (JSON.parse(stored) as unknown) : (stored ?? null);
