import type { Field } from '#contract/custom-fields.ts';
import type { SiteContext } from '../context.ts';

/** What everyone may read of the directory, from the page or from the API. */
export interface SubmitData {
  readonly settings: SiteContext['settings'];
  readonly fields: readonly Field[];
  readonly categories: readonly { readonly slug: string; readonly name: string }[];
  /** Of the directory. */
  readonly name: string;
}

/** What the page holds for its islands. */
export const pageData = <T>(): T => JSON.parse(document.querySelector('#page-data')?.textContent ?? '{}') as T;
