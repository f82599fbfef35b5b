import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Field as CustomField } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { useCustomFields } from '../../app/custom-fields.ts';
import { useCategories } from '../../app/listings.ts';
import { hiddenColumns, savedViews, shownFields } from '../../app/preferences.ts';
import { rangesIn } from '../../app/search.ts';
import { isOn, session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { Highlighted } from '../../components/highlighted.tsx';
import { later } from '../../components/lazy.tsx';
import { Logo } from '../../components/logo.tsx';
import { Menu } from '../../components/menu.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { ActorLink } from '../../components/record-link.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { useLatest } from '../../components/use-latest.ts';
import { formatCompact, formatNumber, hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { FieldChips, fieldColumns, fieldOrders } from './field-columns.tsx';
import { OwnerChip } from './owner.tsx';
import {
  type Filters,
  filterName,
  filtersOf,
  isFiltered,
  pageSizes,
  pricings,
  sortsOf,
  statuses,
  useListings,
} from './query.ts';
import { ALL, useSelection } from './selection.ts';
import { fieldFilters, map as mapText, text } from './strings.ts';

const BulkBar = later(async () => (await import('./bulk.tsx')).BulkBar, null);
const MapView = later(async () => (await import('./map.tsx')).MapView);
const FieldFilterDialog = later(async () => (await import('./field-filters.tsx')).FieldFilterDialog, null);

const SEARCH_DELAY_MS = 200;

/** The column that is always shown, with the name and the URL. */
const Name = ({
  project,
  href,
  ranges,
}: {
  readonly project: Project;
  readonly href: string;
  readonly ranges: ReturnType<typeof rangesIn>;
}) => (
  <span className="listing-name">
    <Logo url={project.logo_url} name={project.name} />
    <span className="listing-name-text">
      <Link href={href} className="truncate" dir="auto">
        <Highlighted text={project.name} ranges={ranges} />
      </Link>
      <span className="soft small truncate">{hostOf(project.url)}</span>
    </span>
  </span>
);

interface Sortable extends Column<Project> {
  readonly sort?: 'upvotes' | 'rating' | 'views' | 'newest' | 'name';
}

/** What a visitor of the listing misses. The list leaves values out of one that is too large. */
const missingOf = ({ logo_url, long_description, screenshots, categories, truncated }: Project): readonly string[] => [
  ...(logo_url || truncated ? [] : [text.missing.logo]),
  ...(screenshots.length > 0 || truncated ? [] : [text.missing.images]),
  ...(long_description || truncated ? [] : [text.missing.text]),
  ...(categories.length > 0 ? [] : [text.missing.category]),
];

const columnsOf = (categoryName: (slug: string) => string, isAdmin: boolean): readonly Sortable[] => [
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
    id: 'place',
    label: text.columns.place,
    kind: 'minor',
    cell: ({ address_city, address_country }) => (
      <span className="truncate short" dir="auto">
        {[address_city, address_country].filter(Boolean).join(', ')}
      </span>
    ),
  },
  ...(isAdmin
    ? [
        {
          id: 'owner',
          label: text.columns.owner,
          kind: 'minor' as const,
          cell: ({ owner_id }: Project) => <ActorLink id={owner_id} />,
        },
      ]
    : []),
  {
    id: 'missing',
    label: text.columns.missing,
    kind: 'minor',
    cell: (project) => {
      const names = missingOf(project).join(', ');
      return (
        <span className="soft small truncate short" title={names}>
          {names || '–'}
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

const ColumnMenu = ({
  columns,
  fields,
}: {
  readonly columns: readonly Sortable[];
  readonly fields: readonly CustomField[];
}) => {
  const hidden = useStore(hiddenColumns);
  const shown = useStore(shownFields);
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
      {fields.map(({ key, label }) => (
        <Checkbox
          key={key}
          label={label}
          isChecked={shown.includes(key)}
          onChange={(isShown) => shownFields.set(isShown ? [...shown, key] : shown.filter((one) => one !== key))}
        />
      ))}
    </Menu>
  );
};

const showColumnsOf = ({ hidden, fields }: (typeof savedViews.value)[number]): void => {
  if (hidden) hiddenColumns.set(hidden);
  if (fields) shownFields.set(fields);
};

const ViewMenu = ({ query }: { readonly query: string }) => {
  const views = useStore(savedViews);
  const [name, setName] = useState('');
  const save = () => {
    if (name.trim() === '') return;
    const view = { name: name.trim(), query, hidden: hiddenColumns.value, fields: shownFields.value };
    savedViews.set([...views.filter((one) => one.name !== view.name), view]);
    setName('');
  };
  return (
    <Menu label={text.views}>
      {views.map((view) => (
        <span key={view.name} className="row apart">
          <Link href={`/listings?${view.query}`} onClick={() => showColumnsOf(view)}>
            {view.name}
          </Link>
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

/** What a search found instead of what was searched for, and what may have been meant. */
const SearchNote = ({
  search,
  onSearch,
}: {
  readonly search: { readonly relaxed: boolean; readonly did_you_mean: string | null } | undefined;
  readonly onSearch: (q: string) => void;
}) => (
  <div role="status">
    {(search?.relaxed || search?.did_you_mean) && (
      <p className="row lead">
        {search.relaxed && <span>{strings.search.relaxed}</span>}
        {search.did_you_mean && (
          <Button onClick={() => onSearch(search.did_you_mean ?? '')}>
            {strings.search.didYouMean(search.did_you_mean)}
          </Button>
        )}
      </p>
    )}
  </div>
);

/** What a saved view keeps of the address. */
const viewOf = (url: URLSearchParams): string => {
  const view = new URLSearchParams(url);
  view.delete('selected');
  return view.toString();
};

/** The list of all listings, with filters, sorting, selection and bulk actions. */
export const List = () => {
  const [url, change] = useUrl();
  const href = useHref();
  /** Changes filters. Other listings match them than those that were selected as all. */
  const setUrl: typeof change = (patch, options) =>
    change(url.get('selected') === ALL ? { ...patch, selected: undefined } : patch, options);
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const filters = filtersOf(url);
  // The map knows no owners.
  const canMap = isOn('map') && filters.owner === '';
  const isMap = canMap && url.get('view') === 'map';
  const { slugs, nameOf: categoryName } = useCategories();
  const [search, setSearch] = useState(filters.q);
  const [selected, setSelected] = useSelection();
  const hidden = useStore(hiddenColumns);
  const shown = useStore(shownFields);
  const fields = useCustomFields();
  const filterable = fields.filter((field) => field.filterable);
  const [isFilterOpen, setFilterOpen] = useState(false);
  const list = useListings(filters);

  const searchFor = useLatest((q: string) => setUrl({ q, page: undefined }, { replace: true }));

  // Typing changes the URL after a pause; Back changes the field.
  useEffect(() => setSearch(filters.q), [filters.q]);
  useEffect(() => {
    if (search.trim() === filters.q) return undefined;
    const timer = setTimeout(() => searchFor.current(search.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [search, filters.q, searchFor]);

  /** The first order is the default. */
  const sortBy = (sort: Filters['sort']) =>
    setUrl({ sort: sort === sortsOf(filters.q)[0] ? undefined : sort, page: undefined });

  const counts = new Map(list.data?.meta.facets?.status?.map(({ value, count }) => [value, count]));
  const all = columnsOf(categoryName, isAdmin).filter(({ feature }) => isOn(feature));
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
      onSort: () => sortBy('name'),
      isSorted: filters.sort === 'name' ? 'ascending' : undefined,
      cell: (project) => (
        <Name project={project} href={linkTo(project.id)} ranges={rangesIn(list.data?.meta.search, project, 'name')} />
      ),
    },
    ...all
      .filter(({ id }) => !hidden.includes(id))
      .map(({ sort, ...column }) => ({
        ...column,
        ...(sort && {
          onSort: () => sortBy(sort),
          isSorted: filters.sort === sort ? ('descending' as const) : undefined,
        }),
      })),
    ...fieldColumns(
      fields.filter(({ key }) => shown.includes(key)),
      filters.sort,
      sortBy,
    ),
  ];
  const known: readonly (readonly [Filters['sort'], string])[] = [
    ...sortsOf(filters.q).map((sort) => [sort, text.sorts[sort]] as const),
    ...fieldOrders(fields),
  ];
  // A field of a saved view may be gone.
  const orders = known.some(([sort]) => sort === filters.sort)
    ? known
    : [...known, [filters.sort, filters.sort] as const];
  const statusText = (status: (typeof statuses)[number]) => {
    if (status === 'all') return strings.fields.all;
    // The counts leave out deleted listings, and count only these beside them.
    const isCounted = status !== 'deleted' && filters.status !== 'deleted' && list.data !== undefined;
    return isCounted ? `${strings.status[status]} ${formatNumber(counts.get(status) ?? 0)}` : strings.status[status];
  };

  return (
    <>
      {!isMap && (
        <div className="lead">
          <Tabs
            label={text.columns.status}
            tabs={statuses.map((status) => [status, statusText(status)] as const)}
            current={filters.status}
            hrefOf={(status) =>
              href({
                status: status === 'all' ? undefined : status,
                page: undefined,
                ...(url.get('selected') === ALL && { selected: undefined }),
              })
            }
          />
        </div>
      )}
      <div className="filter-bar">
        <div className="search">
          <TextField name="q" label={strings.fields.q} type="search" value={search} onChange={setSearch} />
        </div>
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
        {!isMap && <SelectField name="sort" value={filters.sort} options={orders} onChange={sortBy} />}
        <span className="row push">
          {filterable.length > 0 && <Button onClick={() => setFilterOpen(true)}>{fieldFilters.filters}</Button>}
          {canMap && (
            <Button isPressed={isMap} onClick={() => setUrl({ view: isMap ? undefined : 'map', page: undefined })}>
              {mapText.view}
            </Button>
          )}
          <ViewMenu query={viewOf(url)} />
          {!isMap && <ColumnMenu columns={all} fields={fields} />}
        </span>
      </div>
      {filters.owner !== '' && (
        <OwnerChip
          owner={filters.owner}
          isAdmin={isAdmin}
          onRemove={() => setUrl({ owner: undefined, page: undefined })}
        />
      )}
      {Object.keys(filters.fields).length > 0 && (
        <FieldChips
          fields={fields}
          filters={filters.fields}
          onRemove={(key) => setUrl({ [filterName(key)]: undefined, page: undefined })}
        />
      )}
      {isFilterOpen && (
        <FieldFilterDialog
          fields={filterable}
          filters={filters}
          onClose={(given) => {
            setFilterOpen(false);
            if (!given) return;
            const patch = Object.fromEntries(filterable.map(({ key }) => [filterName(key), given[key]]));
            setUrl({ ...patch, page: undefined });
          }}
        />
      )}
      {isMap ? (
        <MapView filters={filters} hrefOf={linkTo} onOpen={(id) => change({ open: id })} />
      ) : (
        <>
          <SearchNote search={list.data?.meta.search} onSearch={(q) => setUrl({ q, page: undefined })} />
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
                    onOpen={({ id }) => change({ open: id })}
                    selection={{
                      ids: selected === ALL ? new Set(data.map(({ id }) => id)) : selected,
                      onChange: setSelected,
                    }}
                  />
                  <Pagination
                    meta={meta}
                    onPage={(page) => change({ page: page === 1 ? undefined : page })}
                    size={
                      <SelectField
                        name="page_size"
                        value={filters.size}
                        options={pageSizes.map((size) => [size, size] as const)}
                        onChange={(size) => setUrl({ size: size === '50' ? undefined : size, page: undefined })}
                      />
                    }
                  />
                </>
              )
            }
          </Loaded>
          {(selected === ALL || selected.size > 0) && list.data && (
            <BulkBar
              target={{
                selected,
                filters,
                total: list.data.meta.total,
                shown: list.data.data.map(({ id }) => id),
                pending: counts.get('pending') ?? 0,
              }}
              isAdmin={isAdmin}
              // What a relaxed search lists is not what was searched for.
              onSelectAll={list.data.meta.search?.relaxed ? undefined : () => setSelected(ALL)}
              onClear={() => setSelected(new Set())}
            />
          )}
        </>
      )}
    </>
  );
};
