import type { ComponentChild } from 'preact';
import type { Thing, WithContext } from 'schema-dts';
import type { PageContext } from './context.ts';

/** The scripts that a page may load. */
export type Island =
  | 'search'
  | 'listing'
  | 'sign-in'
  | 'me'
  | 'follow'
  | 'claim'
  | 'submit'
  | 'checkout'
  | 'map'
  | 'unlisted';

/** A query as sent; a repeated parameter is a list. */
export type SentQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters by the key of a field, as sent. */
type SentByField = Readonly<Record<string, string | readonly string[]>>;

export interface PageRequest {
  /** The variables of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: SentQuery;
  readonly filter: SentByField;
  /** The bounds of ranges, from forms. */
  readonly from: SentByField;
  readonly to: SentByField;
  readonly site: PageContext;
}

/** A page before it becomes a document. */
export interface Page {
  /** 200 by default. */
  readonly status?: 200 | 400;
  /** Without the name of the site; the home page has none. */
  readonly title?: string;
  readonly description: string;
  /** The path and query of the page within the site if search engines may list it. */
  readonly canonical?: string;
  /** The address of an image that represents the page. */
  readonly image?: string | null;
  /** The type of Open Graph; `website` by default. */
  readonly kind?: 'website' | 'article';
  readonly structuredData?: readonly WithContext<Thing>[];
  readonly islands?: readonly Island[];
  /** The beginnings of the keys of messages that the islands show. */
  readonly messages?: readonly string[];
  /** What the islands need and everyone may read, as JSON in the page. */
  readonly data?: object;
  /** The address of the style of a map, whose origin the page may load from. */
  readonly mapStyle?: string;
  readonly body: ComponentChild;
}

/** The page is at another path within the site. */
export interface Moved {
  readonly movedTo: string;
}

export type LoadPage = (request: PageRequest) => Promise<Page | Moved>;
