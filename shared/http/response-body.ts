import type * as z from 'zod';
import type { ReadCatalog } from '#catalog/types.ts';
import { parse } from '#contract/fields.ts';
import type { Route } from '#contract/route.ts';
import { digest } from '#model/entity-tag.ts';
import { Fragment, memberText } from '#model/fragment.ts';
import { DerivedTexts } from '#platform/derived-texts.ts';

/** A handler returned a response that its route does not declare. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
}

/** A serialized body with its digest, the strong ETag without quotes. */
export interface Encoded {
  readonly text: string;
  readonly tag: string;
}

const isObject = (schema: z.ZodType): schema is z.ZodObject => schema.type === 'object';

/** The schemas of objects that a body may have. */
const objectSchemas = (schema: z.ZodType): readonly z.ZodObject[] =>
  (schema.type === 'union' ? (schema as z.ZodUnion<readonly z.ZodType[]>).options : [schema]).filter(isObject);

const isFragments = (value: unknown): value is readonly Fragment[] =>
  Array.isArray(value) && value[0] instanceof Fragment;

/**
 * Serializes a body with lists of fragments. Its tag is the digest of the body, in which each fragment is represented by its
 * own tag.
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
 * Serializes a response through the route's schema, which removes undeclared fields.
 * @throws Error when the body does not match the schema.
 */
export const encode = (route: Route, status: number, body: unknown): Encoded => {
  const schema = route.responses[status];
  if (!schema || !('parse' in schema)) {
    throw new ContractViolation(`${route.id} returned a response for ${status} that does not match its contract.`);
  }
  if (Object.values(body as object).some(isFragments)) {
    const members = body as Readonly<Record<string, unknown>>;
    const object = objectSchemas(schema).find(({ shape }) =>
      Object.entries(members).every(([name, value]) => !isFragments(value) || name in shape),
    );
    if (object) return assemble(route, object, members);
  }
  const text = JSON.stringify(parse(schema, body));
  return { text, tag: digest(text) };
};

/** The size of the cached bodies, in characters. */
const CACHED_CHARACTERS_MAX = 8_000_000;

const cachedBodies = new DerivedTexts<Encoded>(CACHED_CHARACTERS_MAX);

/**
 * A response that depends only on the catalog and a query, cached for the catalog's current version. Cached map feeds and
 * searches with facets take a quarter of the CPU time.
 * @param query everything else that the body depends on.
 */
export const cachedResponse = (
  route: Route,
  query: unknown,
  { catalog, body }: { readonly catalog: ReadCatalog; readonly body: () => unknown },
): { readonly status: 200; readonly encoded: Encoded } => {
  const bodies = cachedBodies.from(catalog, catalog.version);
  const key = `${route.id} ${JSON.stringify(query)}`;
  const cached = bodies.get(key);
  if (cached) return { status: 200, encoded: cached };
  const encoded = encode(route, 200, body());
  bodies.set(key, encoded);
  return { status: 200, encoded };
};
