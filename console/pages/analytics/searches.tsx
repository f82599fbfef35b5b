import { useState } from 'react';
import { Link } from 'wouter';
import type { SearchedQuery } from '#contract/analytics.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { rangesIn } from '../../app/search.ts';
import { perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { download } from '../../components/download.ts';
import { Highlighted } from '../../components/highlighted.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { csvOf } from '../../csv.ts';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import type { Days } from './range.ts';
import { searches as text } from './strings.ts';

const LIMIT = 50;
const REQUEST_MAX = 100;
/** How many listings the dialog of a search shows. */
const FOUND_SHOWN = 10;

const onlyOf = (url: URLSearchParams): 'all' | 'no_results' | 'no_clicks' => {
  const asked = url.get('only');
  return asked === 'no_results' || asked === 'no_clicks' ? asked : 'all';
};

/** The parameters of the report, which the URL holds. */
const queryOf = (url: URLSearchParams, days: Days) => {
  const only = onlyOf(url);
  return { ...days, ...(only !== 'all' && { only }) };
};

/** What stands for several searches. No visitor searched for it. */
const isSummed = (q: string): boolean => q === '(removed)' || q === 'Other';

const figures = ['searches', 'visitors', 'no_results', 'clicks'] as const;

const columnsOf = (onOpen: (q: string) => void): readonly Column<SearchedQuery>[] => [
  {
    id: 'q',
    label: text.columns.q,
    kind: 'main',
    cell: ({ q }) =>
      isSummed(q) ? (
        <span className="soft">{q}</span>
      ) : (
        <Button kind="link" onClick={() => onOpen(q)}>
          <bdi>{q}</bdi>
        </Button>
      ),
  },
  ...figures.map((name) => ({
    id: name,
    label: text.columns[name],
    kind: name === 'searches' ? ('end' as const) : ('end minor' as const),
    cell: (row: SearchedQuery) => formatNumber(row[name]),
  })),
  {
    id: 'average_position',
    label: text.columns.average_position,
    kind: 'end minor',
    cell: ({ average_position: position }) => (position === null ? '–' : formatNumber(position)),
  },
];

/** What visitors find today who search for a text. */
const Found = ({ q, onClose }: { readonly q: string; readonly onClose: () => void }) => {
  const query = { q, match: 'fuzzy', sort: 'relevance', highlight: true, limit: FOUND_SHOWN } as const;
  const found = useResource(['projects', 'searched', query], (signal) =>
    bodyOf(client.projects.list({ query, signal })),
  );
  return (
    <Dialog title={text.today(q)} isWide onClose={onClose}>
      <Loaded query={found}>
        {({ data, meta: { total, search } }) => (
          <div className="stack">
            <p role="status">
              {total === 0 ? text.nothing : text.total(total)}
              {search?.relaxed && ` ${strings.search.relaxed}`}
              {search?.did_you_mean && ` ${strings.search.didYouMean(search.did_you_mean)}`}
            </p>
            <ol className="stack tight">
              {data.map((listing) => (
                <li key={listing.id}>
                  <Link href={`/listings?open=${listing.id}`} dir="auto">
                    <Highlighted text={listing.name} ranges={rangesIn(search, listing, 'name')} />
                  </Link>
                  <p className="soft small clamped" dir="auto">
                    <Highlighted text={listing.description} ranges={rangesIn(search, listing, 'description')} />
                  </p>
                </li>
              ))}
            </ol>
          </div>
        )}
      </Loaded>
      <DialogActions>
        <Link className="button" href={`/listings?${new URLSearchParams({ q, status: 'live' }).toString()}`}>
          {text.openList}
        </Link>
        <Button onClick={onClose}>{strings.actions.close}</Button>
      </DialogActions>
    </Dialog>
  );
};

/** What visitors searched for in a range. A search opens what it finds today. */
export const Searches = ({ days }: { readonly days: Days }) => {
  const [url, setUrl] = useUrl();
  const only = onlyOf(url);
  const page = Math.max(1, Math.trunc(Number(url.get('page') ?? 1)) || 1);
  const opened = url.get('search');
  const query = { ...queryOf(url, days), page, limit: LIMIT };
  const list = useResource(
    ['analytics', 'searches', query],
    (signal) => bodyOf(client.analytics.searches({ query, signal })),
    { poll: true },
  );
  const totals = list.data?.meta.totals;
  const open = (q: string) => setUrl({ search: q });
  return (
    <div className="stack">
      <fieldset className="row">
        <legend className="visually-hidden">{text.which}</legend>
        {(['all', 'no_results', 'no_clicks'] as const).map((one) => (
          <Button
            key={one}
            isPressed={only === one}
            onClick={() => setUrl({ only: one === 'all' ? undefined : one, page: undefined })}
          >
            {text.only[one]}
          </Button>
        ))}
      </fieldset>
      <p className="soft small">{text.explained[only]}</p>
      <ul className="counts">
        {figures.map((name) => (
          <li key={name} className="count-card card">
            {totals ? (
              <span className="count-number number">{formatNumber(totals[name])}</span>
            ) : (
              <span className="count-number skeleton" />
            )}
            <span>{text.columns[name]}</span>
          </li>
        ))}
      </ul>
      <PagedTable
        query={list}
        empty={text.none}
        emptyText={text.noneText}
        label={text.label}
        columns={columnsOf(open)}
        idOf={({ q }) => q}
        nameOf={({ q }) => q}
        onOpen={({ q }) => !isSummed(q) && open(q)}
      />
      {opened !== null && <Found key={opened} q={opened} onClose={() => setUrl({ search: undefined })} />}
    </div>
  );
};

const CSV_COLUMNS = ['q', 'searches', 'visitors', 'no_results', 'clicks', 'average_position'] as const;

/** Reads all pages of the report. */
const readAll = async (query: ReturnType<typeof queryOf>): Promise<readonly SearchedQuery[]> => {
  const all: SearchedQuery[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await bodyOf(client.analytics.searches({ query: { ...query, page, limit: REQUEST_MAX } }));
    all.push(...data);
    if (!meta.hasMore) return all;
  }
};

/** Saves the searches of the range and the filter as CSV. */
export const ExportSearches = ({ days, file }: { readonly days: Days; readonly file: string }) => {
  const [url] = useUrl();
  const [isReading, setReading] = useState(false);
  const save = async () => {
    setReading(true);
    await perform(async () => {
      const rows = await readAll(queryOf(url, days));
      const cells = rows.map((row) => CSV_COLUMNS.map((name) => row[name] ?? ''));
      await download(new Blob([csvOf([[...CSV_COLUMNS], ...cells])], { type: 'text/csv' }).stream(), file);
    });
    setReading(false);
  };
  return (
    <Button isDisabled={isReading} onClick={() => void save()}>
      {strings.actions.export}
    </Button>
  );
};
