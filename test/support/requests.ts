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

/** A multipart body as a browser writes it, with the header that says where its parts end. */
export const multipart = async (
  parts: Readonly<Record<string, string | Blob>>,
): Promise<{ rawBody: Uint8Array; headers: Record<string, string> }> => {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.set(name, part);
    else form.set(name, part, `${name}.csv`);
  }
  const written = new Response(form);
  return {
    rawBody: new Uint8Array(await written.arrayBuffer()),
    headers: { 'content-type': written.headers.get('content-type') ?? '' },
  };
};
