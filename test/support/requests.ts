import type { Route } from '#contract/route.ts';

/** The path of a route with its variables filled in, each written as it shall stand in the address. */
export const pathOf = (route: Route, values: Readonly<Record<string, string>> = {}): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `some-${name}`);

let next = 0;

/** An address that no other request of this file comes from, so that every test has its own rate buckets. */
export const freshAddress = (): string => {
  next += 1;
  return `203.0.${113 + Math.floor(next / 250)}.${(next % 250) + 1}`;
};
