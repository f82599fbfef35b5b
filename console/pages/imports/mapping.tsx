import { useState } from 'react';
import type { ImportPreview } from '#contract/imports.ts';
import type { ImportField } from '#contract/projects.ts';
import { client, dataOf } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { words } from '../../format.ts';
import { strings } from '../../strings.ts';
import { importFields, listFields } from './fields.ts';

const text = strings.imports;
const ROWS = 5;
const NONE = '';

const Mapping = ({ id, preview }: { readonly id: string; readonly preview: ImportPreview }) => {
  const [columns, setColumns] = useState<Readonly<Record<string, ImportField>>>(preview.mapping.columns);
  const [separator, setSeparator] = useState(preview.mapping.list_separator);
  const [on_conflict, setConflict] = useState<'skip' | 'update' | 'error'>('skip');
  const [match_by, setMatch] = useState<'slug' | 'url' | 'id'>('slug');
  const [create_categories, setCreate] = useState(false);
  const setField = (column: string, field: ImportField | typeof NONE) => {
    const next = { ...columns };
    if (field === NONE) delete next[column];
    else next[column] = field;
    setColumns(next);
  };
  const start = async (dry_run: boolean) => {
    const mapping = { columns, list_separator: separator, on_conflict, match_by, create_categories };
    await dataOf(
      client.imports.start({
        params: { import: id },
        query: { dry_run: dry_run ? 'true' : 'false' },
        body: { mapping },
      }),
    );
    notify(dry_run ? text.dryRunStarted : text.started);
    await refresh('imports', 'batches');
  };
  const mapped = preview.header.flatMap((column, at) => {
    const field = columns[column];
    return field === undefined ? [] : [{ column, field, at }];
  });
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
              options={[
                [NONE, text.ignore],
                ...importFields.map((field): [ImportField, string] => [field, words(field)]),
              ]}
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
            value={match_by}
            options={(['slug', 'url', 'id'] as const).map((one) => [one, words(one)])}
            onChange={setMatch}
          />
          <SelectField
            name="on_conflict"
            label={text.onConflict}
            value={on_conflict}
            options={Object.entries(text.conflicts) as ['skip' | 'update' | 'error', string][]}
            onChange={setConflict}
          />
          <TextField name="list_separator" value={separator} onChange={setSeparator} />
        </div>
        <Checkbox label={words('create_categories')} isChecked={create_categories} onChange={setCreate} />
      </section>
      <section className="card stack tight">
        <h2>{text.firstRows}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
        <section className="table-frame" tabIndex={0} aria-label={text.firstRows}>
          <table className="table">
            <thead>
              <tr>
                {mapped.map(({ column, field }) => (
                  <th key={column}>{words(field)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {preview.rows.slice(0, ROWS).map((row, number) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position.
                <tr key={number}>
                  {mapped.map(({ column, field, at }) => (
                    <td key={column} dir="auto">
                      {listFields.has(field) && separator !== ''
                        ? (row[at] ?? '')
                            .split(separator)
                            .map((one) => one.trim())
                            .join(' · ')
                        : row[at]}
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
