import type { ImportPreview } from '#contract/imports.ts';
import type { ImportField } from '#contract/projects.ts';
import { Store } from '../../app/store.ts';
import { listFields } from './fields.ts';

/** A mapping that is edited. */
export interface MappingDraft {
  readonly columns: Readonly<Record<string, ImportField>>;
  /** In the order in which they were added. */
  readonly defaults: readonly { readonly id: number; readonly field: ImportField | ''; readonly value: string }[];
  readonly list_separator: string;
  readonly on_conflict: 'skip' | 'update' | 'error';
  readonly match_by: 'slug' | 'url' | 'id';
  readonly create_categories: boolean;
}

/** Mappings by import. They stay during a dry run, and while another page is open. */
export const drafts = new Store<ReadonlyMap<string, MappingDraft>>(new Map());

export const keepDraft = (id: string, draft: MappingDraft): void => drafts.set(new Map([...drafts.value, [id, draft]]));

export const proposedDraft = ({ mapping }: ImportPreview): MappingDraft => ({
  columns: mapping.columns,
  defaults: [],
  list_separator: mapping.list_separator,
  on_conflict: 'skip',
  match_by: 'slug',
  create_categories: false,
});

/** The entries of a cell of a field with a list. */
export const entriesOf = (cell: string, separator: string): readonly string[] =>
  (separator === '' ? [cell] : cell.split(separator)).map((one) => one.trim()).filter((one) => one !== '');

/** What the service takes. */
export const mappingOf = ({ defaults, ...mapping }: MappingDraft) => ({
  ...mapping,
  defaults: Object.fromEntries(
    defaults
      .filter(({ field }) => field !== '')
      .map(({ field, value }) => [field, listFields.has(field) ? entriesOf(value, mapping.list_separator) : value]),
  ),
});
