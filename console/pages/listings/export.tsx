import { useState } from 'react';
import type { CustomValue } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { bodyOf, client } from '../../api.ts';
import { useCustomFields } from '../../app/custom-fields.ts';
import { readListing } from '../../app/listings.ts';
import { useResource } from '../../app/queries.ts';
import { download } from '../../components/download.ts';
import { Checkbox } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { csvOf, joinList } from '../../csv.ts';
import { utcDayOf } from '../../days.ts';
import { formatCompact, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { type Filters, isFiltered, queryOf } from './query.ts';
import { exports as text } from './strings.ts';

/** What a file of matching listings can have. */
const COLUMNS = [
  'id',
  'name',
  'slug',
  'url',
  'description',
  'status',
  'categories',
  'tags',
  'plan',
  'pricing_type',
  'address_city',
  'address_country',
  'latitude',
  'longitude',
  'owner_id',
  'upvote_count',
  'views_count',
  'created_at',
  'published_at',
] as const satisfies readonly (keyof Project)[];

interface Column {
  /** Its header, by which an import recognizes it. */
  readonly name: string;
  readonly label: string;
  readonly readFrom: (project: Project) => CustomValue | null | undefined;
}

const ownColumns = COLUMNS.map((name): Column => ({ name, label: words(name), readFrom: (project) => project[name] }));

const REQUEST_MAX = 100;

/** By which spreadsheets know that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

const isList = (value: CustomValue): value is readonly string[] & CustomValue => Array.isArray(value);

/** As in the service's export, which the import reads. */
const cellOf = (value: CustomValue | null | undefined): string | number => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value;
  if (isList(value)) return joinList(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/**
 * Reads all pages of matching listings.
 * @param withFields whether the values of further fields are needed, which a list leaves out of large listings.
 * @param onRead receives the number of listings read so far.
 */
const readAll = async (
  filters: Filters,
  withFields: boolean,
  onRead: (count: number) => void,
): Promise<readonly Project[]> => {
  const all: Project[] = [];
  let cursor: string | null | undefined;
  do {
    const { data, meta } = await bodyOf(
      client.projects.browse({
        query: { ...queryOf(filters), page: 1, limit: REQUEST_MAX, facets: undefined, ...(cursor && { cursor }) },
      }),
    );
    for (const one of data) all.push(withFields && one.truncated ? (await readListing(one.id)).project : one);
    onRead(all.length);
    cursor = meta.nextCursor;
  } while (cursor);
  return all;
};

/** Saves listings as CSV: all with every field, as an import takes them, or those that match the filters with chosen columns. */
export const ExportDialog = ({
  filters,
  matching,
  onClose,
}: {
  readonly filters: Filters;
  readonly matching: number | undefined;
  readonly onClose: () => void;
}) => {
  const canFilter = isFiltered({ ...filters, page: 1 });
  const [isAll, setAll] = useState(!canFilter);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const [progress, setProgress] = useState('');
  const columns: readonly Column[] = [
    ...ownColumns,
    ...useCustomFields().map(({ key, label }) => ({
      name: `fields.${key}`,
      label,
      readFrom: ({ fields }: Project) => fields?.[key],
    })),
  ];
  const chosen = columns.filter(({ name }) => !leftOut.has(name));
  const everything = { status: 'all', limit: 1 } as const;
  const count = useResource(['projects', 'count'], (signal) =>
    bodyOf(client.projects.browse({ query: everything, signal })),
  );
  const total = count.data?.meta.total;
  const shown = isAll ? total : matching;
  const file = `projects-${utcDayOf(Date.now())}.csv`;
  const saveAll = async () => {
    let bytes = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        bytes += part.length;
        setProgress(text.received(formatCompact(Math.round(bytes / 1024))));
        controller.enqueue(part);
      },
    });
    const stream = await bodyOf(client.projects.exportCsv({ query: { bom: 'true' } }));
    await download(stream ? stream.pipeThrough(counting) : null, file);
  };
  const saveMatching = async () => {
    const withFields = chosen.some(({ name }) => name.startsWith('fields.'));
    const projects = await readAll(filters, withFields, (read) =>
      setProgress(text.read(formatNumber(read), formatNumber(matching ?? read))),
    );
    const rows = [
      chosen.map(({ name }) => name),
      ...projects.map((project) => chosen.map(({ readFrom }) => cellOf(readFrom(project)))),
    ];
    await download(new Blob([BYTE_ORDER_MARK, csvOf(rows)], { type: 'text/csv' }).stream(), file);
  };
  return (
    <FormDialog
      title={text.title}
      action={shown === undefined ? strings.actions.export : strings.actions.counted(strings.actions.export, shown)}
      isReady={shown !== undefined && (isAll || chosen.length > 0)}
      onSubmit={isAll ? saveAll : saveMatching}
      onClose={onClose}
    >
      {() => (
        <>
          <fieldset className="stack tight">
            <legend className="label">{text.which}</legend>
            {([true, false] as const).map((all) => (
              <label key={String(all)} className="check">
                <input type="radio" name="which" checked={isAll === all} onChange={() => setAll(all)} />
                {all ? text.all(formatNumber(total ?? 0)) : text.matching(formatNumber(matching ?? 0))}
              </label>
            ))}
          </fieldset>
          {isAll ? (
            <p className="soft">{text.allText}</p>
          ) : (
            <fieldset className="stack tight">
              <legend className="label">{strings.table.columns}</legend>
              <div className="grid narrow">
                {columns.map(({ name, label }) => (
                  <Checkbox
                    key={name}
                    label={label}
                    isChecked={!leftOut.has(name)}
                    onChange={(isOn) => {
                      const others = [...leftOut].filter((one) => one !== name);
                      setLeftOut(new Set(isOn ? others : [...others, name]));
                    }}
                  />
                ))}
              </div>
            </fieldset>
          )}
          <p className="soft number" role="status">
            {progress}
          </p>
        </>
      )}
    </FormDialog>
  );
};
