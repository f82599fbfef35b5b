import type * as z from 'zod';
import type { ReadCatalog } from '#catalog/types.ts';
import { parse } from '#contract/parse.ts';
import type { Route } from '#contract/route.ts';
import { digest } from '#model/entity-tag.ts';
import { Fragment, memberText } from '#model/fragment.ts';

/** A handler returned a reply that its route does not declare. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
}

/** A serialized body with its digest, the strong ETag without quotes. */
export interface Encoded {
  readonly text: string;
  readonly tag: string;
}

const isObject = (schema: z.ZodType): schema is z.ZodObject => schema.type === 'object';

const isFragments = (value: unknown): value is readonly Fragment[] =>
  Array.isArray(value) && value[0] instanceof Fragment;

/**
 * Serializes a body of which some members are lists of fragments. Its tag is the digest of the body with the tag of each
 * fragment in its place.
 * @throws {ContractViolation} for a fragment that was made through another schema than the route declares.
 */
const assemble = (route: Route, schema: z.ZodObject, body: Readonly<Record<string, unknown>>): Encoded => {
  // Joined once: every further copy of such a text takes as long as the query.
  const parts: string[] = [];
  const tagged: string[] = [];
  for (const [name, member] of Object.entries(schema.shape)) {
    const separator = parts.length === 0 ? '{' : ',';
    const value = body[name];
    if (isFragments(value)) {
      const { element } = member as z.ZodArray;
      if (value.some((fragment) => fragment.schema !== element)) {
        throw new ContractViolation(`${route.id} returned fragments in ${name} that do not match its contract.`);
      }
      parts.push(separator, JSON.stringify(name), ':[');
      for (const [position, { text }] of value.entries()) parts.push(position === 0 ? '' : ',', text);
      parts.push(']');
      tagged.push(`${name} ${value.map(({ tag }) => tag).join(' ')}`);
    } else {
      const text = memberText(schema, name, value);
      if (text !== undefined) parts.push(separator, text);
      tagged.push(text ?? '');
    }
  }
  parts.push('}');
  return { text: parts.join(''), tag: digest(tagged.join('\n')) };
};

/**
 * Serializes a reply through the route's schema, which removes undeclared fields.
 * @throws Error when the body does not match the schema.
 */
export const encode = (route: Route, status: number, body: unknown): Encoded => {
  const schema = route.replies[status];
  if (!schema || !('parse' in schema)) {
    throw new ContractViolation(`${route.id} returned a reply for ${status} that does not match its contract.`);
  }
  if (isObject(schema) && Object.values(body as object).some(isFragments)) {
    return assemble(route, schema, body as Readonly<Record<string, unknown>>);
  }
  const text = JSON.stringify(parse(schema, body));
  return { text, tag: digest(text) };
};

/** The cache size per catalog, in characters. */
const CACHED_CHARACTERS_MAX = 8_000_000;

interface Cache {
  version: number;
  characters: number;
  /** By query; undefined for a query that was requested once. */
  readonly replies: Map<string, Encoded | undefined>;
}

const cacheOf = new WeakMap<ReadCatalog, Cache>();

/** The cache of the catalog's current version; a new version empties it. */
const currentCache = (catalog: ReadCatalog): Cache => {
  const { version } = catalog;
  let cache = cacheOf.get(catalog);
  if (!cache) {
    cache = { version, characters: 0, replies: new Map() };
    cacheOf.set(catalog, cache);
  } else if (cache.version !== version) {
    Object.assign(cache, { version, characters: 0 });
    cache.replies.clear();
  }
  return cache;
};

const store = (cache: Cache, key: string, encoded: Encoded | undefined): void => {
  const size = key.length + (encoded?.text.length ?? 0);
  if (cache.characters + size > CACHED_CHARACTERS_MAX) {
    cache.replies.clear();
    cache.characters = 0;
  }
  cache.replies.set(key, encoded);
  cache.characters += size;
};

/**
 * A reply that depends only on the catalog and a query, cached for the catalog's current version from its second request
 * on: queries that are not repeated would only displace those that are.
 * @param query everything else that the body depends on.
 */
export const cachedReply = (
  route: Route,
  catalog: ReadCatalog,
  query: unknown,
  body: () => unknown,
): { readonly status: 200; readonly encoded: Encoded } => {
  const cache = currentCache(catalog);
  const key = `${route.id} ${JSON.stringify(query)}`;
  const cached = cache.replies.get(key);
  if (cached) return { status: 200, encoded: cached };
  const encoded = encode(route, 200, body());
  store(cache, key, cache.replies.has(key) ? encoded : undefined);
  return { status: 200, encoded };
};
