import type { ImportPreview } from '#contract/imports.ts';
import type { ImportField } from '#contract/projects.ts';
import { client, dataOf } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { useStore } from '../../app/store.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { drafts, entriesOf, keepDraft, type MappingDraft, mappingOf, proposedDraft } from './draft.ts';
import { importFields, listFields } from './fields.ts';

const text = strings.imports;
const ROWS = 5;
const NONE = '';

const fieldOptions = importFields.map((field): [ImportField, string] => [field, words(field)]);

/** Values for fields that no column fills, or whose cell is blank. */
const Defaults = ({
  defaults,
  onChange,
}: {
  readonly defaults: MappingDraft['defaults'];
  readonly onChange: (defaults: MappingDraft['defaults']) => void;
}) => (
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
            options={[[NONE, text.chooseField], ...fieldOptions]}
            onChange={(field) => set({ field })}
          />
          <TextField
            name="value"
            label={one.field === NONE ? text.value : text.defaultOf(words(one.field))}
            value={one.value}
            onChange={(value) => set({ value })}
          />
          <Button
            kind="quiet"
            icon="close"
            label={strings.fields.remove(one.field === NONE ? text.value : words(one.field))}
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

const Mapping = ({ id, preview }: { readonly id: string; readonly preview: ImportPreview }) => {
  const draft = useStore(drafts).get(id) ?? proposedDraft(preview);
  const set = (patch: Partial<MappingDraft>) => keepDraft(id, { ...draft, ...patch });
  const { columns, defaults, list_separator: separator } = draft;
  const setField = (column: string, field: ImportField | typeof NONE) => {
    const { [column]: _, ...others } = columns;
    set({ columns: field === NONE ? others : { ...others, [column]: field } });
  };
  const start = async (dry_run: boolean) => {
    await dataOf(
      client.imports.start({
        params: { import: id },
        query: { dry_run: dry_run ? 'true' : 'false' },
        body: { mapping: mappingOf(draft) },
      }),
    );
    notify(dry_run ? text.dryRunStarted : text.started);
    await refresh('imports', 'batches');
  };
  const defaultOf = new Map(defaults.map(({ field, value }) => [field, value]));
  const mapped = preview.header.flatMap((column, at) => {
    const field = columns[column];
    return field === undefined ? [] : [{ key: column, field, at }];
  });
  const filled = new Set<string>(mapped.map(({ field }) => field));
  const shown: readonly { readonly key: string; readonly field: ImportField; readonly at?: number }[] = [
    ...mapped,
    ...defaults.flatMap(({ id: key, field }) =>
      field === NONE || filled.has(field) ? [] : [{ key: `default ${key}`, field }],
    ),
  ];
  const cellOf = (row: readonly string[], { field, at }: { readonly field: ImportField; readonly at?: number }) => {
    const cell = (at === undefined ? '' : (row[at] ?? '')).trim() || (defaultOf.get(field) ?? '');
    return listFields.has(field) ? entriesOf(cell, separator).join(' · ') : cell;
  };
  return (
    <>
      <section className="card stack tight">
        <h2>{text.mapping}</h2>
        <p className="soft">{text.mappingText}</p>
        <div className="mapping">
          {preview.header.map((column, at) => (
            <SelectField
              key={column}
              name={column}
              label={column}
              hint={preview.rows[0]?.[at] ? <span className="truncate">{preview.rows[0][at]}</span> : text.emptyCell}
              value={columns[column] ?? NONE}
              options={[[NONE, text.ignore], ...fieldOptions]}
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
          <TextField name="list_separator" value={separator} onChange={(list_separator) => set({ list_separator })} />
        </div>
        <Checkbox
          label={words('create_categories')}
          isChecked={draft.create_categories}
          onChange={(create_categories) => set({ create_categories })}
        />
        <Defaults defaults={defaults} onChange={(next) => set({ defaults: next })} />
      </section>
      <section className="card stack tight">
        <h2>{text.firstRows}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
        <section className="table-frame" tabIndex={0} aria-label={text.firstRows}>
          <table className="table">
            <thead>
              <tr>
                {shown.map(({ key, field }) => (
                  <th key={key}>{words(field)}</th>
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
        <div className="row">
          <Button onClick={() => void perform(async () => await start(true))}>{strings.actions.dryRun}</Button>
          <Button kind="primary" onClick={() => void perform(async () => await start(false))}>
            {text.import}
          </Button>
        </div>
      </section>
    </>
  );
};

/** The columns of an uploaded file with the proposed fields. */
export const MappingEditor = ({ id }: { readonly id: string }) => {
  const preview = useResource(['imports', id, 'preview'], (signal) =>
    dataOf(client.imports.preview({ params: { import: id }, query: { rows: ROWS }, signal })),
  );
  return <Loaded query={preview}>{(loaded) => <Mapping id={id} preview={loaded} />}</Loaded>;
};
