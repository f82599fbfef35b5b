import type { ImportPreview } from '#contract/imports.ts';
import type { ColumnTarget, MappedField } from '#contract/projects.ts';
import { stored } from '../../app/preferences.ts';
import { Store } from '../../app/store.ts';
import { listFields } from './fields.ts';

/** A mapping that is edited. */
export interface MappingDraft {
  /** The names of the columns below, which another encoding changes. */
  readonly header: readonly string[];
  readonly columns: Readonly<Record<string, ColumnTarget>>;
  /** In the order in which they were added. */
  readonly defaults: readonly { readonly id: number; readonly field: MappedField | ''; readonly value: string }[];
  readonly list_separator: string;
  readonly on_conflict: 'skip' | 'update' | 'error';
  readonly match_by: 'slug' | 'url' | 'id';
  readonly create_categories: boolean;
  /** Undefined for `keep`. */
  readonly blank?: 'keep' | 'clear';
  /** Undefined for the proposed one. */
  readonly encoding?: string;
  /** Undefined for the proposed one. */
  readonly text?: 'plain' | 'html';
  /** The mapping of the last dry run, as JSON: what it said is true for no other. */
  readonly tried?: string;
}

/** In this tab, until its user signs out. */
const STORED = 'console.import-mappings';

const storedDrafts = (): ReadonlyMap<string, MappingDraft> =>
  new Map(JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as readonly [string, MappingDraft][]);

/** The mappings of the latest imports by the header of their files. */
const templates = stored<
  readonly { readonly header: string; readonly draft: Omit<MappingDraft, 'header' | 'encoding' | 'text'> }[]
>('imports.mappings', []);

/** Mappings by import. They stay during a dry run, while another page is open, and after a reload. */
export const drafts = new Store(storedDrafts());

drafts.subscribe(() => sessionStorage.setItem(STORED, JSON.stringify([...drafts.value])));

export const keepDraft = (id: string, draft: MappingDraft): void => drafts.set(new Map([...drafts.value, [id, draft]]));

const TEMPLATES_MAX = 20;

/** Keeps the mapping of an import for the next file with the same header, which may have another encoding or kind of text. */
export const keepTemplate = ({
  tried: _tried,
  encoding: _encoding,
  text: _text,
  header,
  ...draft
}: MappingDraft): void => {
  const key = JSON.stringify(header);
  const others = templates.value.filter((one) => one.header !== key);
  templates.set([{ header: key, draft }, ...others].slice(0, TEMPLATES_MAX));
};

const templateOf = (header: readonly string[]) =>
  templates.value.find((one) => one.header === JSON.stringify(header))?.draft;

/** Whether the proposal is the mapping of an earlier file. */
export const hasTemplate = ({ header }: ImportPreview): boolean => templateOf(header) !== undefined;

const proposedDraft = ({ header, mapping }: ImportPreview): MappingDraft => ({
  ...(templateOf(header) ?? {
    columns: mapping.columns,
    defaults: [],
    list_separator: mapping.list_separator,
    on_conflict: 'skip',
    match_by: 'slug',
    create_categories: false,
  }),
  header,
});

/** The field of a column, which may have the name of a member of every object. */
export const fieldOf = (columns: MappingDraft['columns'], column: string): ColumnTarget | undefined =>
  Object.hasOwn(columns, column) ? columns[column] : undefined;

/** The columns by the names that they have in the encoding of the preview. */
const columnsIn = ({ header, mapping }: ImportPreview, { columns, header: before }: MappingDraft) =>
  header.length === before.length
    ? Object.fromEntries(
        header.flatMap((column, at) => {
          const field = fieldOf(columns, before[at] ?? '');
          return field === undefined ? [] : [[column, field]];
        }),
      )
    : mapping.columns;

/** The mapping of a file as its preview shows it. @param draft what was edited, also in another encoding. */
export const draftOf = (preview: ImportPreview, draft: MappingDraft | undefined): MappingDraft => {
  if (!draft) return proposedDraft(preview);
  const { header } = preview;
  return JSON.stringify(header) === JSON.stringify(draft.header)
    ? draft
    : { ...draft, header, columns: columnsIn(preview, draft) };
};

/** The entries of a cell of a field with a list. */
export const entriesOf = (cell: string, separator: string): readonly string[] =>
  (separator === '' ? [cell] : cell.split(separator)).map((one) => one.trim()).filter((one) => one !== '');

/** What the service takes. */
export const mappingOf = (
  { columns, defaults, tried: _tried, header: _header, ...mapping }: MappingDraft,
  { encoding, mapping: { text } }: ImportPreview,
) => ({
  encoding,
  text,
  ...mapping,
  columns: Object.fromEntries(
    Object.entries(columns).map(([column, field]) => [column === '__proto__' ? ` ${column}` : column, field]),
  ),
  defaults: Object.fromEntries(
    defaults
      .filter(({ field }) => field !== '')
      .map(({ field, value }) => [field, listFields.has(field) ? entriesOf(value, mapping.list_separator) : value]),
  ),
});
