import { servedRoutes } from '#contract/feeds.ts';
import type { Route } from '#contract/route.ts';

/** The path of a route as a gateway serves it: the key of IndexNow is a part of its path, not a variable. */
const servedPathOf = (route: Route): string => {
  const [{ path }] = servedRoutes([route]) as [Route];
  return path;
};

/** The names of the variables in the path of a route. */
export const variablesOf = (route: Route): string[] =>
  [...servedPathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The path of a route with its variables replaced by the given values, unescaped, or by placeholders. */
export const pathOf = (route: Route, values: Readonly<Record<string, string>> = {}): string =>
  servedPathOf(route).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `some-${name}`);

let next = 0;

/** A client address that is unique in this process, so that its rate buckets are empty. */
export const freshAddress = (): string => {
  next += 1;
  return `203.0.${113 + Math.floor(next / 250)}.${(next % 250) + 1}`;
};

interface EncodedForm {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Encodes a form as a multipart body, with its header. */
export const encodeForm = async (form: FormData): Promise<EncodedForm> => {
  const encoded = new Response(form);
  return {
    rawBody: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  };
};

/** Encodes parts as a multipart body, with its header; blobs become files. */
export const multipart = (parts: Readonly<Record<string, string | Blob>>): Promise<EncodedForm> => {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.set(name, part);
    else form.set(name, part, `${name}.csv`);
  }
  return encodeForm(form);
};
