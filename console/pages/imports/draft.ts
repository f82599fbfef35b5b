import type { ImportPreview } from '#contract/imports.ts';
import type { MappedField } from '#contract/projects.ts';
import { stored } from '../../app/preferences.ts';
import { Store } from '../../app/store.ts';
import { listFields } from './fields.ts';

/** A mapping that is edited. */
export interface MappingDraft {
  readonly columns: Readonly<Record<string, MappedField>>;
  /** In the order in which they were added. */
  readonly defaults: readonly { readonly id: number; readonly field: MappedField | ''; readonly value: string }[];
  readonly list_separator: string;
  readonly on_conflict: 'skip' | 'update' | 'error';
  readonly match_by: 'slug' | 'url' | 'id';
  readonly create_categories: boolean;
  readonly encoding: string;
  /** The mapping of the last dry run, as JSON: what it said is true for no other. */
  readonly tried?: string;
}

/** In this tab, until its user signs out. */
const STORED = 'console.mappings';

const storedDrafts = (): ReadonlyMap<string, MappingDraft> =>
  new Map(JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as readonly [string, MappingDraft][]);

/** The mappings of the latest imports by the header of their files. */
const templates = stored<readonly { readonly header: string; readonly draft: Omit<MappingDraft, 'encoding'> }[]>(
  'imports.mappings',
  [],
);

/** Mappings by import. They stay during a dry run, while another page is open, and after a reload. */
export const drafts = new Store(storedDrafts());

drafts.subscribe(() => sessionStorage.setItem(STORED, JSON.stringify([...drafts.value])));

export const keepDraft = (id: string, draft: MappingDraft): void => drafts.set(new Map([...drafts.value, [id, draft]]));

const TEMPLATES_MAX = 20;

/** Keeps the mapping of an import for the next file with the same header, which may have another encoding. */
export const keepTemplate = (
  header: readonly string[],
  { tried: _tried, encoding: _encoding, ...draft }: MappingDraft,
): void => {
  const key = JSON.stringify(header);
  const others = templates.value.filter((one) => one.header !== key);
  templates.set([{ header: key, draft }, ...others].slice(0, TEMPLATES_MAX));
};

const templateOf = (header: readonly string[]) =>
  templates.value.find((one) => one.header === JSON.stringify(header))?.draft;

/** Whether the proposal is the mapping of an earlier file. */
export const hasTemplate = ({ header }: ImportPreview): boolean => templateOf(header) !== undefined;

export const proposedDraft = ({ header, mapping, encoding }: ImportPreview): MappingDraft => ({
  ...(templateOf(header) ?? {
    columns: mapping.columns,
    defaults: [],
    list_separator: mapping.list_separator,
    on_conflict: 'skip',
    match_by: 'slug',
    create_categories: false,
  }),
  encoding,
});

/** The columns by the names that they have in another encoding. */
export const columnsIn = (
  { header, mapping }: ImportPreview,
  columns: MappingDraft['columns'],
  before: readonly string[],
): MappingDraft['columns'] =>
  header.length === before.length
    ? Object.fromEntries(
        header.flatMap((column, at) => {
          const field = columns[before[at] ?? ''];
          return field === undefined ? [] : [[column, field]];
        }),
      )
    : mapping.columns;

/** The entries of a cell of a field with a list. */
export const entriesOf = (cell: string, separator: string): readonly string[] =>
  (separator === '' ? [cell] : cell.split(separator)).map((one) => one.trim()).filter((one) => one !== '');

/** What the service takes. */
export const mappingOf = ({ defaults, tried: _tried, ...mapping }: MappingDraft) => ({
  ...mapping,
  defaults: Object.fromEntries(
    defaults
      .filter(({ field }) => field !== '')
      .map(({ field, value }) => [field, listFields.has(field) ? entriesOf(value, mapping.list_separator) : value]),
  ),
});
