import { createHash } from 'node:crypto';
import type { ReadCatalog } from '#catalog/types.ts';
import type { Route } from '#contract/route.ts';

/** A body as it is sent, with its strong tag (without quotes). */
export interface Encoded {
  readonly text: string;
  readonly tag: string;
}

/** The tag of a text: the same text has the same tag in every process. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27);

/**
 * Writes the body of a reply: it goes through the route's schema, so nothing leaves that nobody promised. A body that does
 * not fit is our own fault and loud.
 * @param tag stands for the body where something else than its text identifies it.
 */
export const encode = (route: Route, status: number, body: unknown, tag?: string): Encoded => {
  const schema = route.replies[status];
  if (!schema || !('parse' in schema)) {
    throw new Error(`${route.id} answered ${status} in another form than its contract says.`);
  }
  const text = JSON.stringify(schema.parse(body));
  return { text, tag: tag ?? digest(text) };
};

/** How much is kept of one state of the catalog, in characters. */
const KEPT_MAX = 8_000_000;

interface Kept {
  version: number;
  characters: number;
  readonly answers: Map<string, Encoded>;
}

const keptOf = new WeakMap<ReadCatalog, Kept>();

const current = (catalog: ReadCatalog): Kept => {
  const { version } = catalog;
  let kept = keptOf.get(catalog);
  if (!kept) {
    kept = { version, characters: 0, answers: new Map() };
    keptOf.set(catalog, kept);
  } else if (kept.version !== version) {
    Object.assign(kept, { version, characters: 0 });
    kept.answers.clear();
  }
  return kept;
};

/**
 * What the catalog and a question alone decide is written once for as long as the catalog stays as it is: whoever asks the
 * same again costs neither the search nor the writing, and his tag is known before there is a body.
 * @param question all that the answer depends on beside the catalog.
 */
export const encodedOnce = (
  route: Route,
  catalog: ReadCatalog,
  question: unknown,
  answer: () => unknown,
): { readonly status: 200; readonly encoded: Encoded } => {
  const kept = current(catalog);
  const key = `${route.id} ${JSON.stringify(question)}`;
  let encoded = kept.answers.get(key);
  if (!encoded) {
    encoded = encode(route, 200, answer());
    const size = key.length + encoded.text.length;
    if (kept.characters + size > KEPT_MAX) {
      kept.answers.clear();
      kept.characters = 0;
    }
    kept.answers.set(key, encoded);
    kept.characters += size;
  }
  return { status: 200, encoded };
};
