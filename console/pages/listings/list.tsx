import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Project } from '#contract/projects.ts';
import { bodyOf, client } from '../../api.ts';
import { useCategories } from '../../app/listings.ts';
import { perform } from '../../app/notices.tsx';
import { hiddenColumns, savedViews } from '../../app/preferences.ts';
import { useResource } from '../../app/queries.ts';
import { isOn, session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { useUrl } from '../../app/url.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Logo } from '../../components/logo.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatCompact, formatNumber, hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { BulkBar } from './bulk.tsx';
import { filtersOf, isFiltered, pricings, queryOf, sorts, statuses } from './query.ts';

const SEARCH_DELAY_MS = 200;

const text = strings.listings;

/** The column that is always shown, with the name and the address. */
const Name = ({ project, href }: { readonly project: Project; readonly href: string }) => (
  <span className="listing-name">
    <Logo url={project.logo_url} name={project.name} />
    <span className="listing-name-text">
      <Link href={href} className="truncate" dir="auto">
        {project.name}
      </Link>
      <span className="soft small truncate">{hostOf(project.url)}</span>
    </span>
  </span>
);

interface Sortable extends Column<Project> {
  readonly sort?: 'upvotes' | 'rating' | 'views' | 'newest' | 'name';
}

const columnsOf = (categoryName: (slug: string) => string): readonly Sortable[] => [
  { id: 'status', label: text.columns.status, cell: (project) => <StatusBadge listing={project} /> },
  {
    id: 'categories',
    label: text.columns.categories,
    kind: 'minor',
    cell: ({ categories }) => {
      const names = categories.map(categoryName).join(', ');
      return (
        <span className="truncate short" title={names} dir="auto">
          {names}
        </span>
      );
    },
  },
  {
    id: 'plan',
    label: text.columns.plan,
    kind: 'minor',
    cell: ({ plan }) =>
      plan === 'premium' ? <Badge tone="accent">{strings.plan.premium}</Badge> : strings.plan.standard,
  },
  {
    id: 'pricing',
    label: text.columns.pricing,
    kind: 'minor',
    cell: ({ pricing_type }) => strings.pricing[pricing_type],
  },
  {
    id: 'votes',
    label: text.columns.votes,
    kind: 'end minor',
    sort: 'upvotes',
    cell: ({ upvote_count }) => <span title={formatNumber(upvote_count)}>{formatCompact(upvote_count)}</span>,
  },
  {
    id: 'rating',
    label: text.columns.rating,
    feature: 'ratings',
    kind: 'end minor',
    sort: 'rating',
    cell: ({ average_rating, ratings_count }) =>
      ratings_count === 0 ? '–' : `${formatNumber(average_rating)} (${formatCompact(ratings_count)})`,
  },
  {
    id: 'views',
    label: text.columns.views,
    feature: 'analytics',
    kind: 'end minor',
    sort: 'views',
    cell: ({ views_count }) => <span title={formatNumber(views_count)}>{formatCompact(views_count)}</span>,
  },
  {
    id: 'created',
    label: text.columns.created,
    kind: 'minor',
    sort: 'newest',
    cell: ({ created_at }) => <Time at={created_at} isAge />,
  },
  {
    id: 'updated',
    label: text.columns.updated,
    kind: 'minor',
    cell: ({ updated_at }) => <Time at={updated_at} isAge />,
  },
];

/** A button that shows more controls; they do not exist before it is opened. */
const Menu = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="menu" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="button">{label}</summary>
      {isOpen && <div className="menu-items">{children}</div>}
    </details>
  );
};

const ColumnMenu = ({ columns }: { readonly columns: readonly Sortable[] }) => {
  const hidden = useStore(hiddenColumns);
  return (
    <Menu label={strings.table.columns}>
      {columns.map(({ id, label }) => (
        <Checkbox
          key={id}
          label={label}
          isChecked={!hidden.includes(id)}
          onChange={(isShown) => hiddenColumns.set(isShown ? hidden.filter((one) => one !== id) : [...hidden, id])}
        />
      ))}
    </Menu>
  );
};

const ViewMenu = ({ query }: { readonly query: string }) => {
  const views = useStore(savedViews);
  const [name, setName] = useState('');
  const save = () => {
    if (name.trim() === '') return;
    savedViews.set([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), query }]);
    setName('');
  };
  return (
    <Menu label={text.views}>
      {views.map((view) => (
        <span key={view.name} className="row apart">
          <Link href={`/listings?${view.query}`}>{view.name}</Link>
          <Button
            kind="quiet"
            icon="close"
            label={text.deleteView(view.name)}
            onClick={() => savedViews.set(views.filter((one) => one !== view))}
          />
        </span>
      ))}
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField name="view" label={text.viewName} value={name} onChange={setName} />
        <Button type="submit">{text.saveView}</Button>
      </form>
    </Menu>
  );
};

/** The whole directory as CSV; the bytes received are shown while it streams. */
const ExportButton = () => {
  const [received, setReceived] = useState<number>();
  const run = () =>
    perform(async () => {
      setReceived(0);
      try {
        const stream = await bodyOf(client.projects.exportCsv());
        const parts: BlobPart[] = [];
        let bytes = 0;
        const reader = stream?.getReader();
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
          parts.push(part.value as BlobPart);
          bytes += part.value.length;
          setReceived(bytes);
        }
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
        link.download = `projects-${new Date().toISOString().slice(0, 10)}.csv`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      } finally {
        setReceived(undefined);
      }
    });
  return (
    <Button isDisabled={received !== undefined} onClick={() => void run()}>
      {received === undefined ? strings.actions.export : text.exporting(formatCompact(Math.round(received / 1024)))}
    </Button>
  );
};

const NoListings = ({ hasFilters, isAdmin }: { readonly hasFilters: boolean; readonly isAdmin: boolean }) =>
  hasFilters ? (
    <EmptyState title={text.empty}>
      <p>{text.emptyText}</p>
    </EmptyState>
  ) : (
    <EmptyState title={text.none}>
      <p>{text.noneText}</p>
      {isAdmin && <Link href="/imports">{text.importSome}</Link>}
    </EmptyState>
  );

/** The list of all listings, with filters, sorting, selection and bulk actions. */
export const List = () => {
  const [url, setUrl] = useUrl();
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const filters = filtersOf(url);
  const { slugs, nameOf: categoryName } = useCategories();
  const [search, setSearch] = useState(filters.q);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const hidden = useStore(hiddenColumns);
  const list = useResource(
    ['projects', 'list', queryOf(filters)],
    (signal) => bodyOf(client.projects.browse({ query: queryOf(filters), signal })),
    { poll: true },
  );

  // Typing changes the address after a pause; Back changes the field.
  useEffect(() => setSearch(filters.q), [filters.q]);
  useEffect(() => {
    if (search.trim() === filters.q) return undefined;
    const timer = setTimeout(() => setUrl({ q: search.trim(), page: undefined }, { replace: true }), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [search, filters.q, setUrl]);

  const counts = new Map(list.data?.meta.facets?.status?.map(({ value, count }) => [value, count]));
  const all = columnsOf(categoryName).filter(({ feature }) => isOn(feature));
  const linkTo = (id: string) => {
    const next = new URLSearchParams(url);
    next.set('open', id);
    return `/listings?${next.toString()}`;
  };
  const columns: readonly Column<Project>[] = [
    {
      id: 'name',
      label: text.columns.name,
      kind: 'main',
      onSort: () => setUrl({ sort: 'name', page: undefined }),
      isSorted: filters.sort === 'name' ? 'ascending' : undefined,
      cell: (project) => <Name project={project} href={linkTo(project.id)} />,
    },
    ...all
      .filter(({ id }) => !hidden.includes(id))
      .map(({ sort, ...column }) => ({
        ...column,
        ...(sort && {
          onSort: () => setUrl({ sort: sort === 'newest' ? undefined : sort, page: undefined }),
          isSorted: filters.sort === sort ? ('descending' as const) : undefined,
        }),
      })),
  ];
  const statusText = (status: (typeof statuses)[number]) =>
    status === 'all' ? strings.fields.all : `${strings.status[status]} (${formatNumber(counts.get(status) ?? 0)})`;

  return (
    <>
      <div className="filter-bar">
        <div className="search">
          <TextField name="q" label={strings.fields.q} type="search" value={search} onChange={setSearch} />
        </div>
        <SelectField
          name="status"
          value={filters.status}
          options={statuses.map((status) => [status, statusText(status)])}
          onChange={(status) => setUrl({ status: status === 'all' ? undefined : status, page: undefined })}
        />
        <SelectField
          name="category"
          value={filters.category}
          options={[['', strings.fields.all], ...slugs.map((slug) => [slug, categoryName(slug)] as const)]}
          onChange={(category) => setUrl({ category, page: undefined })}
        />
        <SelectField
          name="pricing"
          value={filters.pricing}
          options={pricings.map((one) => [one, one === 'all' ? strings.fields.all : strings.pricing[one]])}
          onChange={(pricing) => setUrl({ pricing: pricing === 'all' ? undefined : pricing, page: undefined })}
        />
        <SelectField
          name="sort"
          value={filters.sort}
          options={sorts.map((sort) => [sort, text.sorts[sort]])}
          onChange={(sort) => setUrl({ sort: sort === 'newest' ? undefined : sort, page: undefined })}
        />
        <span className="row push">
          <ViewMenu query={url.toString()} />
          <ColumnMenu columns={all} />
          {isAdmin && <ExportButton />}
        </span>
      </div>
      <Loaded query={list} rows={12}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoListings hasFilters={isFiltered(filters)} isAdmin={isAdmin} />
          ) : (
            <>
              <Table
                label="Listings"
                columns={columns}
                rows={data}
                idOf={({ id }) => id}
                nameOf={({ name }) => name}
                onOpen={({ id }) => setUrl({ open: id })}
                selection={{ ids: selected, onChange: setSelected }}
              />
              <Pagination meta={meta} onPage={(page) => setUrl({ page: page === 1 ? undefined : page })} />
            </>
          )
        }
      </Loaded>
      {selected.size > 0 && (
        <BulkBar
          ids={[...selected]}
          isAdmin={isAdmin}
          onDone={() => setSelected(new Set())}
          onClear={() => setSelected(new Set())}
        />
      )}
    </>
  );
};
