import type { Import, ImportPreview } from '#contract/imports.ts';
import type { ColumnTarget, ImportField, MappedField } from '#contract/projects.ts';
import { client, dataOf } from '../../api.ts';
import { useCustomFields, useNameOfField } from '../../app/custom-fields.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { useStore } from '../../app/store.ts';
import { perform } from '../../app/toasts.tsx';
import { followWork } from '../../app/work.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import {
  draftOf,
  drafts,
  entriesOf,
  fieldOf,
  hasTemplate,
  keepDraft,
  keepTemplate,
  type MappingDraft,
  mappingOf,
} from './draft.ts';
import { DryRun, Ignored } from './dry-run.tsx';
import { importFields, listFields } from './fields.ts';
import { text } from './strings.ts';

const ROWS = 5;
const NONE = '';
/** A latitude and a longitude in one cell. */
const COORDINATES = 'coordinates';

/** What a new listing must have. */
const REQUIRED: readonly ImportField[] = ['name', 'url', 'description', 'categories'];

/** The fields of projects, then further ones by their labels. */
const useFieldOptions = (): readonly [MappedField, string][] => [
  ...importFields.map((field): [MappedField, string] => [field, words(field)]),
  ...useCustomFields().map(({ key, label }): [MappedField, string] => [`fields.${key}`, label]),
];

/** Whether cells of a field hold several entries. */
const useIsList = (): ((field: ColumnTarget) => boolean) => {
  const fields = useCustomFields();
  return (field) =>
    listFields.has(field) || fields.some(({ key, type }) => type === 'multi_select' && `fields.${key}` === field);
};

/** The encodings of files from spreadsheets, and the one that is chosen. */
const encodingOptions = (chosen: string): readonly (readonly [string, string])[] => {
  const known = Object.entries(text.encodings);
  return known.some(([name]) => name === chosen) ? known : [...known, [chosen, chosen]];
};

/** A default with the cells of a row in place of the columns that it names. */
const filledDefault = (value: string, header: readonly string[], row: readonly string[]): string =>
  value.replace(/\{([^{}]+)\}/g, (all, column: string) => {
    const at = header.indexOf(column.trim());
    return at === -1 ? all : (row[at] ?? '').trim();
  });

/** Values for fields that no column fills, or whose cell is blank. */
const Defaults = ({
  defaults,
  options,
  onChange,
}: {
  readonly defaults: MappingDraft['defaults'];
  readonly options: readonly [MappedField, string][];
  readonly onChange: (defaults: MappingDraft['defaults']) => void;
}) => {
  const nameOf = useNameOfField();
  return (
    <fieldset className="stack tight">
      <legend className="label">{text.defaults}</legend>
      <p className="soft">{text.defaultsText}</p>
      {defaults.map((one) => {
        const set = (patch: Partial<typeof one>) =>
          onChange(defaults.map((other) => (other === one ? { ...one, ...patch } : other)));
        return (
          <div key={one.id} className="row end-aligned">
            <SelectField
              name="field"
              value={one.field}
              options={[[NONE, text.chooseField], ...options]}
              onChange={(field) => set({ field })}
            />
            <TextField
              name="value"
              label={one.field === NONE ? text.value : text.defaultOf(nameOf(one.field))}
              value={one.value}
              hint={text.templateHint}
              onChange={(value) => set({ value })}
            />
            <Button
              kind="quiet"
              icon="close"
              label={strings.fields.remove(one.field === NONE ? text.value : nameOf(one.field))}
              onClick={() => onChange(defaults.filter((other) => other !== one))}
            />
          </div>
        );
      })}
      <div>
        <Button
          icon="add"
          onClick={() => onChange([...defaults, { id: (defaults.at(-1)?.id ?? 0) + 1, field: NONE, value: '' }])}
        >
          {text.addDefault}
        </Button>
      </div>
    </fieldset>
  );
};

const Mapping = ({
  id,
  filename,
  preview,
  dryRun,
  ignored,
}: {
  readonly id: string;
  readonly filename: string;
  readonly preview: ImportPreview;
  readonly dryRun: Import['dry_run'];
  /** Of the dry run. */
  readonly ignored: readonly string[];
}) => {
  const draft = draftOf(preview, useStore(drafts).get(id));
  const set = (patch: Partial<MappingDraft>) => keepDraft(id, { ...draft, ...patch });
  const { columns, defaults, list_separator: separator } = draft;
  const { encoding = preview.encoding, text: kind = preview.mapping.text } = draft;
  const nameOf = useNameOfField();
  const fieldOptions = useFieldOptions();
  const targets: readonly [ColumnTarget, string][] = [...fieldOptions, [COORDINATES, words(COORDINATES)]];
  const isList = useIsList();
  const setField = (column: string, field: ColumnTarget | typeof NONE) => {
    const { [column]: _, ...others } = columns;
    set({ columns: field === NONE ? others : { ...others, [column]: field } });
  };
  const start = async (dry_run: boolean) => {
    const mapping = mappingOf(draft, preview);
    await dataOf(
      client.imports.start({
        params: { import: id },
        query: { dry_run: dry_run ? 'true' : 'false' },
        body: { mapping },
      }),
    );
    if (dry_run) set({ tried: JSON.stringify(mapping) });
    else keepTemplate(draft);
    followWork({ id, title: filename });
    await refresh('imports', 'batches');
  };
  const isTried = dryRun !== null && draft.tried === JSON.stringify(mappingOf(draft, preview));
  const defaultOf = new Map<string, string>(defaults.map(({ field, value }) => [field, value]));
  const mapped = preview.header.flatMap((column, at) => {
    const field = fieldOf(columns, column);
    return field === undefined ? [] : [{ key: column, field, at }];
  });
  const filled = new Set<string>(mapped.map(({ field }) => field));
  const shown: readonly { readonly key: string; readonly field: ColumnTarget; readonly at?: number }[] = [
    ...mapped,
    ...defaults.flatMap(({ id: key, field }) =>
      field === NONE || filled.has(field) ? [] : [{ key: `default ${key}`, field }],
    ),
  ];
  const missing = REQUIRED.filter((field) => !filled.has(field) && !defaultOf.get(field)?.trim());
  const isRepeated = (column: string) => preview.header.indexOf(column) !== preview.header.lastIndexOf(column);
  const cellOf = (row: readonly string[], { field, at }: { readonly field: ColumnTarget; readonly at?: number }) => {
    const cell =
      (at === undefined ? '' : (row[at] ?? '')).trim() ||
      filledDefault(defaultOf.get(field) ?? '', preview.header, row);
    return isList(field) ? entriesOf(cell, separator).join(' · ') : cell;
  };
  return (
    <>
      <section className="card stack tight">
        <h2>{text.mapping}</h2>
        <p className="soft">{hasTemplate(preview) ? text.templateText : text.mappingText}</p>
        <div className="mapping">
          {preview.header.map((column, at) => (
            <SelectField
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may have equal names.
              key={at}
              name={column}
              label={isRepeated(column) ? text.columnAt(column, at + 1) : column}
              isDisabled={isRepeated(column)}
              errors={isRepeated(column) ? [text.repeated] : []}
              hint={preview.rows[0]?.[at] ? <span className="truncate">{preview.rows[0][at]}</span> : text.emptyCell}
              value={fieldOf(columns, column) ?? NONE}
              options={[[NONE, text.ignore], ...targets]}
              onChange={(field) => setField(column, field)}
            />
          ))}
        </div>
      </section>
      <section className="card stack tight">
        <h2>{text.options}</h2>
        <div className="mapping">
          <SelectField
            name="match_by"
            hint={text.matchHints[draft.match_by]}
            value={draft.match_by}
            options={(['slug', 'url', 'id'] as const).map((one) => [one, words(one)])}
            onChange={(match_by) => set({ match_by })}
          />
          <SelectField
            name="on_conflict"
            label={text.onConflict}
            value={draft.on_conflict}
            options={Object.entries(text.conflicts) as ['skip' | 'update' | 'error', string][]}
            onChange={(on_conflict) => set({ on_conflict })}
          />
          <SelectField
            name="blank"
            label={text.blank}
            value={draft.blank ?? 'keep'}
            options={Object.entries(text.blanks) as ['keep' | 'clear', string][]}
            onChange={(blank) => set({ blank })}
          />
          <TextField name="list_separator" value={separator} onChange={(list_separator) => set({ list_separator })} />
          <SelectField
            name="encoding"
            value={encoding}
            hint={text.encodingHint}
            options={encodingOptions(encoding)}
            onChange={(chosen) => keepDraft(id, { ...(drafts.value.get(id) ?? draft), encoding: chosen })}
          />
          <SelectField
            name="text"
            label={text.kind}
            value={kind}
            options={Object.entries(text.kinds) as ['plain' | 'html', string][]}
            onChange={(chosen) => set({ text: chosen })}
          />
        </div>
        <Checkbox
          label={words('create_categories')}
          isChecked={draft.create_categories}
          onChange={(create_categories) => set({ create_categories })}
        />
        <Defaults defaults={defaults} options={fieldOptions} onChange={(next) => set({ defaults: next })} />
      </section>
      <section className="card stack tight">
        <h2>{text.firstRows}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
        <section className="table-frame" tabIndex={0} aria-label={text.firstRows}>
          <table className="table">
            <thead>
              <tr>
                {shown.map(({ key, field }) => (
                  <th key={key}>{nameOf(field)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {preview.rows.slice(0, ROWS).map((row, number) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position.
                <tr key={number}>
                  {shown.map((one) => (
                    <td key={one.key} dir="auto">
                      {cellOf(row, one)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        {missing.length > 0 && mapped.length > 0 && (
          <p className="message wait">{text.requiredMissing(missing.map(words).join(', '))}</p>
        )}
        {mapped.length === 0 && <p className="message wait">{text.nothingMapped}</p>}
        {!dryRun && (
          <Ignored
            columns={preview.ignored.filter(
              (column) => fieldOf(columns, column) === fieldOf(preview.mapping.columns, column),
            )}
          />
        )}
      </section>
      {dryRun && <DryRun dryRun={dryRun} ignored={ignored} />}
      <div className="row">
        <Button isDisabled={mapped.length === 0} onClick={() => void perform(async () => await start(true))}>
          {strings.actions.dryRun}
        </Button>
        <Button
          kind="primary"
          isDisabled={mapped.length === 0}
          onClick={() => void perform(async () => await start(false))}
        >
          {text.import}
        </Button>
        {dryRun && (
          <span className="soft">
            {isTried ? text.wouldWrite(dryRun.counts.created + dryRun.counts.updated) : text.changedSince}
          </span>
        )}
      </div>
    </>
  );
};

/** The columns of an uploaded file with the proposed fields. */
export const MappingEditor = ({
  id,
  filename,
  dry_run,
  ignored,
}: Pick<Import, 'id' | 'filename' | 'dry_run' | 'ignored'>) => {
  const { encoding, text: kind } = useStore(drafts).get(id) ?? {};
  const preview = useResource(['imports', id, 'preview', { encoding, kind }], (signal) =>
    dataOf(
      client.imports.preview({
        params: { import: id },
        query: { rows: ROWS, ...(encoding !== undefined && { encoding }), ...(kind !== undefined && { text: kind }) },
        signal,
      }),
    ),
  );
  return (
    <Loaded query={preview}>
      {(loaded) => <Mapping id={id} filename={filename} preview={loaded} dryRun={dry_run} ignored={ignored} />}
    </Loaded>
  );
};
