/**
 * Conditions and updates as values. Names and values always travel as placeholders: an expression is made of ASCII
 * constants only, whatever a caller wrote.
 */

/** Collects the names and values of one request and hands out their placeholders. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  #nameCount = 0;
  #valueCount = 0;

  name(attribute: string): string {
    for (const [placeholder, known] of Object.entries(this.names)) if (known === attribute) return placeholder;
    const placeholder = `#n${this.#nameCount++}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${this.#valueCount++}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The members of a request; empty maps are left out because DynamoDB refuses them. */
  get members(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, unknown>;
  } {
    return {
      ...(this.#nameCount > 0 && { ExpressionAttributeNames: this.names }),
      ...(this.#valueCount > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

/** What must hold for a write to happen. */
export type Condition = (placeholders: Placeholders) => string;

/** The item is there. */
export const exists: Condition = (p) => `attribute_exists(${p.name('pk')})`;
/** The item is not there. */
export const absent: Condition = (p) => `attribute_not_exists(${p.name('pk')})`;
/** The item, if it is there, has no such attribute. */
export const lacks =
  (attribute: string): Condition =>
  (p) =>
    `attribute_not_exists(${p.name(attribute)})`;
/** An attribute has exactly this value. */
export const is =
  (attribute: string, value: string | number | boolean | null): Condition =>
  (p) =>
    `${p.name(attribute)} = ${p.value(value)}`;
/** An attribute is below a bound, or not there yet. */
export const isBelow =
  (attribute: string, bound: number): Condition =>
  (p) =>
    `attribute_not_exists(${p.name(attribute)}) OR ${p.name(attribute)} < ${p.value(bound)}`;
/** All of them. */
export const every =
  (...conditions: readonly Condition[]): Condition =>
  (p) =>
    conditions.map((condition) => `(${condition(p)})`).join(' AND ');
/** One of them. */
export const either =
  (...conditions: readonly Condition[]): Condition =>
  (p) =>
    conditions.map((condition) => `(${condition(p)})`).join(' OR ');

/** What an update does to an item: attributes set, numbers added, attributes taken away. */
export interface Change {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** The update expression of a change. */
export const updateExpression = (change: Change, p: Placeholders): string => {
  const clauses = [
    ['SET', Object.entries(change.set ?? {}).map(([name, value]) => `${p.name(name)} = ${p.value(value)}`)],
    ['ADD', Object.entries(change.add ?? {}).map(([name, value]) => `${p.name(name)} ${p.value(value)}`)],
    ['REMOVE', (change.remove ?? []).map((name) => p.name(name))],
  ] as const;
  return clauses
    .filter(([, parts]) => parts.length > 0)
    .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
    .join(' ');
};
