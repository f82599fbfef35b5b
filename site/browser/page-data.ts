import type { Field } from '#contract/custom-fields.ts';
import type { Plan } from '#contract/projects.ts';
import type { SiteContext } from '../context.ts';

/** What everyone may read of the directory, from the page or from the API. */
export interface ShownData {
  readonly settings: SiteContext['settings'];
  readonly fields: readonly Field[];
  readonly categories: readonly { readonly slug: string; readonly name: string }[];
  /** Of the directory. */
  readonly name: string;
}

/** What the page of the form holds. */
export interface SubmitData extends ShownData {
  /** The price of each plan in the language of the page: browsers need no decimals of currencies. */
  readonly prices: Readonly<Record<Plan, string>>;
}

/** What the page holds for its islands. */
export const pageData = <T>(): T => JSON.parse(document.querySelector('#page-data')?.textContent ?? '{}') as T;
