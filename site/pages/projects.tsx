import type { ComponentChild } from 'preact';
import { joinWithCommas, splitAtCommas } from '#contract/comma-list.ts';
import { type Field, RANGE } from '#contract/custom-fields.ts';
import { tagKey } from '#contract/tags.ts';
import { listCategories } from '#services/categories/read.ts';
import { readListings, readListingsAmong } from '#services/projects/list.ts';
import { notFound } from '#shared/errors.ts';
import { Card, type CategoryNames, categoryNames } from '../components/card.tsx';
import { enteredLabel, optionLabel } from '../components/custom-fields.tsx';
import { FollowForm, followedQuery } from '../components/follow.tsx';
import { Icon } from '../components/icons.tsx';
import { Pagination } from '../components/pagination.tsx';
import { SearchForm } from '../components/search-form.tsx';
import { useSite } from '../context.ts';
import {
  boundNames,
  filterName,
  isEntered,
  type ListState,
  PAGE_SIZE,
  pathWith,
  readListQuery,
} from '../list-query.ts';
import type { LoadPage, Moved, Page, PageRequest } from '../page.ts';
import { breadcrumbs, itemList } from '../structured-data.ts';

type Listed = Awaited<ReturnType<typeof readListings>>;

const SORTS = ['newest', 'trending', 'upvotes', 'rating', 'name'] as const;

/** The values of a facet that are shown before the rest is folded. */
const OPEN_VALUES = 8;
const TAGS = 16;

/** What decides the addresses of a list. */
interface ListPlace {
  readonly path: string;
  readonly state: ListState;
}

const values = (text: string | undefined): readonly string[] => (text === undefined ? [] : splitAtCommas(text));

/** What values of a facet are compared by. */
const identityOf = (facet: string, value: string): string => (facet === 'tag' ? tagKey(value) : value);

const isAmong = (all: readonly string[], facet: string, value: string): boolean =>
  all.some((one) => identityOf(facet, one) === identityOf(facet, value));

/** The parameters after a value of a list of values was added or removed. */
const toggled = (all: readonly string[], facet: string, value: string): string | null => {
  const next = isAmong(all, facet, value)
    ? all.filter((one) => identityOf(facet, one) !== identityOf(facet, value))
    : [...all, value];
  return next.length > 0 ? joinWithCommas(next) : null;
};

const FacetValue = ({
  place: { path, state },
  facet,
  value,
  label,
  count,
}: {
  readonly place: ListPlace;
  readonly facet: string;
  readonly value: string;
  readonly label: string;
  /** Undefined when it is not counted. */
  readonly count?: number;
}) => {
  const { href, number } = useSite();
  const current = state.parameters[facet];
  const isOn = isAmong(values(current), facet, value);
  const next = facet === 'pricing' ? (isOn ? null : value) : toggled(values(current), facet, value);
  return (
    <li>
      <a
        href={href(pathWith(path, state.parameters, { [facet]: next }))}
        rel="nofollow"
        aria-current={isOn ? 'true' : undefined}
      >
        <span class="check" aria-hidden="true" />
        <span class="facet-name" dir="auto">
          {label}
        </span>
        {count !== undefined && <span class="facet-count">{number(count)}</span>}
      </a>
    </li>
  );
};

type Counts = readonly { readonly value: string; readonly count: number }[];

const Facet = ({
  place,
  facet,
  title,
  counts,
  labelOf,
}: {
  readonly place: ListPlace;
  readonly facet: string;
  readonly title: string;
  readonly counts: Counts;
  readonly labelOf: (value: string) => string;
}) => {
  const { t } = useSite();
  if (counts.length === 0) return null;
  const one = ({ value, count }: (typeof counts)[number]) => (
    <FacetValue key={value} place={place} facet={facet} value={value} label={labelOf(value)} count={count} />
  );
  return (
    <section class="facet">
      <h3 dir="auto">{title}</h3>
      <ul>{counts.slice(0, OPEN_VALUES).map(one)}</ul>
      {counts.length > OPEN_VALUES && (
        <details>
          <summary>{t('list.facet.more')}</summary>
          <ul>{counts.slice(OPEN_VALUES).map(one)}</ul>
        </details>
      )}
    </section>
  );
};

/** The values of a field that are counted; of opening hours the places that are open. */
const FieldFacet = ({
  place,
  field,
  counts,
}: {
  readonly place: ListPlace;
  readonly field: Field;
  readonly counts: Counts;
}) => {
  const { t } = useSite();
  const facet = filterName(field.key);
  if (field.type !== 'hours' || !field.filterable) {
    return (
      <Facet
        place={place}
        facet={facet}
        title={field.label}
        counts={counts}
        labelOf={(value) => optionLabel(field, value, t)}
      />
    );
  }
  return (
    <section class="facet">
      <h3 dir="auto">{field.label}</h3>
      <ul>
        <FacetValue place={place} facet={facet} value="open" label={t('field.open')} />
      </ul>
    </section>
  );
};

/** The inputs of a filter by a text, or by a range of numbers or dates. */
const EnteredFilter = ({ field, value = '' }: { readonly field: Field; readonly value: string | undefined }) => {
  const { t } = useSite();
  const id = `filter-${field.key}`;
  if (field.type === 'text') {
    return (
      <section class="facet field">
        <h3 dir="auto">
          <label for={id}>{field.label}</label>
        </h3>
        <input id={id} name={filterName(field.key)} value={value} maxLength={200} autocomplete="off" />
      </section>
    );
  }
  const names = boundNames(field.key);
  const [from = '', to = from] = value === '*' ? [''] : value.split(RANGE);
  const type = field.type === 'date' ? 'date' : 'number';
  return (
    <fieldset class="facet field">
      <legend dir="auto">{[field.label, field.unit && `(${field.unit})`].filter(Boolean).join(' ')}</legend>
      {(
        [
          ['from', from],
          ['to', to],
        ] as const
      ).map(([bound, text]) => (
        <label key={bound}>
          {t(`field.${bound}`)}
          <input type={type} step={type === 'number' ? 'any' : undefined} name={names[bound]} value={text.trim()} />
        </label>
      ))}
    </fieldset>
  );
};

/** The filters by fields in their order, in a form where values are entered. */
const FieldFilters = ({
  place: { path, state },
  place,
  counts,
}: {
  readonly place: ListPlace;
  readonly counts: Readonly<Record<string, Counts>>;
}) => {
  const { t, href, fields } = useSite();
  const filters = fields.map((field) =>
    isEntered(field) ? (
      <EnteredFilter key={field.id} field={field} value={state.parameters[filterName(field.key)]} />
    ) : (
      <FieldFacet key={field.id} place={place} field={field} counts={counts[`fields.${field.key}`] ?? []} />
    ),
  );
  const entered = fields.filter(isEntered).map(({ key }) => filterName(key));
  if (entered.length === 0) return <>{filters}</>;
  return (
    <form class="facets" action={href(path)} method="get">
      {filters}
      {Object.entries(state.parameters)
        .filter(([name]) => !entered.includes(name))
        .map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
      <button type="submit" class="button">
        {t('field.apply')}
      </button>
    </form>
  );
};

const ActiveFilters = ({
  place: { path, state },
  names,
}: {
  readonly place: ListPlace;
  readonly names: CategoryNames;
}) => {
  const site = useSite();
  const { t, href, fields } = site;
  const { parameters } = state;
  const fieldOf = new Map(fields.map((field) => [filterName(field.key), field]));
  const labelOf = (facet: string, value: string): string => {
    if (facet === 'pricing') return t(`pricing.${value as 'free'}`);
    const field = fieldOf.get(facet);
    if (field) return isEntered(field) ? enteredLabel(site, field, value) : optionLabel(field, value, t);
    return facet === 'category' ? (names.get(value) ?? value) : value;
  };
  /** What is entered is one value, also with commas. */
  const valuesOf = (facet: string): readonly string[] => {
    const field = fieldOf.get(facet);
    const text = parameters[facet];
    return field && isEntered(field) && text !== undefined ? [text] : values(text);
  };
  const active = ['category', 'sphere', 'pricing', 'tag', ...fieldOf.keys()].flatMap((facet) =>
    valuesOf(facet)
      .filter((value) => facet !== 'pricing' || value !== 'all')
      .map((value) => ({ facet, value })),
  );
  if (active.length === 0) return null;
  return (
    <p class="chips">
      {active.map(({ facet, value }) => (
        <a
          key={`${facet} ${value}`}
          class="chip on"
          rel="nofollow"
          href={href(pathWith(path, parameters, { [facet]: toggled(valuesOf(facet), facet, value) }))}
          aria-label={t('list.filters.remove', { name: labelOf(facet, value) })}
        >
          <span dir="auto">{labelOf(facet, value)}</span>
          <Icon name="close" />
        </a>
      ))}
      <a href={href(pathWith(path, { ...(parameters.q !== undefined && { q: parameters.q }) }))} rel="nofollow">
        {t('list.filters.clear')}
      </a>
    </p>
  );
};

const SortLinks = ({
  place: { path, state },
  hasOwnOrder,
}: {
  readonly place: ListPlace;
  readonly hasOwnOrder: boolean;
}) => {
  const { t, href, settings } = useSite();
  const { parameters, query } = state;
  const byDefault = hasOwnOrder ? 'own' : query.q === undefined ? 'newest' : undefined;
  const current = hasOwnOrder && parameters.sort === undefined ? 'own' : query.sort;
  const keys = [
    ...(hasOwnOrder ? (['own'] as const) : []),
    ...(query.q !== undefined && settings.features.includes('search') ? (['relevance'] as const) : []),
    ...SORTS.filter((key) => key !== 'rating' || settings.features.includes('ratings')),
  ];
  return (
    <nav class="sorts" aria-label={t('list.sort')}>
      {keys.map((key) => (
        <a
          key={key}
          href={href(pathWith(path, parameters, { sort: key === byDefault ? null : key }))}
          rel="nofollow"
          aria-current={key === current ? 'true' : undefined}
        >
          {t(`sort.${key}`)}
        </a>
      ))}
    </nav>
  );
};

const Filters = ({
  place,
  found,
  names,
  hasCategories,
}: {
  readonly place: ListPlace;
  readonly found: Listed;
  readonly names: CategoryNames;
  readonly hasCategories: boolean;
}) => {
  const { t } = useSite();
  const facets: Readonly<Record<string, Counts>> = found.meta.facets ?? {};
  return (
    <details class="filters" open>
      <summary>
        <Icon name="filter" />
        <h2>{t('list.filters')}</h2>
      </summary>
      <div class="facets">
        {hasCategories && (
          <Facet
            place={place}
            facet="category"
            title={t('list.facet.category')}
            counts={facets.category ?? []}
            labelOf={(slug) => names.get(slug) ?? slug}
          />
        )}
        <Facet
          place={place}
          facet="pricing"
          title={t('list.facet.pricing')}
          counts={facets.pricing ?? []}
          labelOf={(value) => t(`pricing.${value as 'free'}`)}
        />
        <Facet
          place={place}
          facet="tag"
          title={t('list.facet.tag')}
          counts={(facets.tag ?? []).slice(0, TAGS)}
          labelOf={(value) => value}
        />
        <FieldFilters place={place} counts={facets} />
      </div>
    </details>
  );
};

interface ListFrame {
  readonly path: string;
  /** Parameters that the path decides. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly title: string;
  readonly description: (count: number) => string;
  readonly breadcrumbs: readonly (readonly [name: string, path: string])[];
  readonly lead?: ComponentChild;
  /** Only these listings, in their order unless the query has another one, and what is said while there are none. */
  readonly among?: { readonly ids: readonly string[]; readonly empty: string };
}

/** A page with the cards of a list. @throws 404 past the last page. */
export const listPage = async (request: PageRequest, frame: ListFrame): Promise<Page | Moved> => {
  const { query: sent, site } = request;
  const { t, href } = site;
  const { path, among } = frame;
  const state = readListQuery(request, frame.fixed);
  const { query, parameters, problems } = state;
  if (sent.page !== undefined && problems.length === 0 && query.page === 1)
    return { movedTo: pathWith(path, parameters) };
  const reading = among ? readListingsAmong(query, among.ids, parameters.sort === undefined) : readListings(query);
  const [found, categoryList] = await Promise.all([reading, listCategories()]);
  const { total, search } = found.meta;
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (query.page > last) throw notFound();
  const names = categoryNames(categoryList.body().data);
  const place = { path, state };
  const isPlain = Object.keys(parameters).length === 0 && problems.length === 0;
  const pathOf = (page: number): string => pathWith(path, parameters, { page: page === 1 ? null : String(page) });
  const heading = query.q === undefined ? frame.title : t('list.title.search', { q: query.q });
  const isFollowable = problems.length === 0 && !among && site.settings.features.includes('follows');
  const followed = isFollowable ? followedQuery({ ...parameters, ...frame.fixed }) : undefined;
  const suggested = search?.did_you_mean ?? undefined;
  return {
    status: problems.length > 0 ? 400 : 200,
    title: query.page === 1 ? heading : `${heading}, ${t('list.page', { page: query.page })}`,
    description: frame.description(total),
    ...(isPlain && { canonical: pathOf(query.page) }),
    islands: ['search', ...(followed ? (['follow'] as const) : [])],
    ...(followed && { messages: [] }),
    structuredData: [breadcrumbs(site, frame.breadcrumbs), itemList(found.data, found.meta, site)],
    body: (
      <div class="width list-page">
        <header class="list-head">
          <h1 dir="auto">{heading}</h1>
          {frame.lead}
          {problems.length > 0 && (
            <p class="notice bad" role="alert">
              {t('list.wrong', { problem: problems.join(', ') })}
            </p>
          )}
          {search?.relaxed && <p class="notice">{t('list.relaxed')}</p>}
          {suggested !== undefined && (
            <p class="notice">
              {t('list.didYouMean')}{' '}
              <a href={href(pathWith(path, parameters, { q: suggested }))} rel="nofollow" dir="auto">
                {suggested}
              </a>
              ?
            </p>
          )}
        </header>
        <div class="results">
          <div class="results-head">
            <p class="count">{t('list.count', { count: total })}</p>
            <SortLinks place={place} hasOwnOrder={among !== undefined} />
          </div>
          <ActiveFilters place={place} names={names} />
          {followed && <FollowForm query={followed} />}
          {total === 0 ? (
            <div class="empty-state">
              {among && isPlain ? (
                <p>{among.empty}</p>
              ) : (
                <>
                  <h2>{t('list.empty.title')}</h2>
                  <p>{t('list.empty.text')}</p>
                  <SearchForm q={query.q ?? ''} isLarge />
                </>
              )}
              <p>
                <a href={href('/projects')}>{t('list.empty.clear')}</a>
              </p>
            </div>
          ) : (
            <div class="cards">
              {found.data.map((project) => (
                <Card key={project.id} project={project} categories={names} />
              ))}
            </div>
          )}
          <Pagination page={query.page} last={last} pathOf={pathOf} isFollowed={isPlain} />
        </div>
        {/* Without script, filters cannot be folded on small screens only: they follow the results there. */}
        <Filters place={place} found={found} names={names} hasCategories={frame.fixed?.category === undefined} />
      </div>
    ),
  };
};

export const projectsPage: LoadPage = (request) => {
  const { t } = request.site;
  return listPage(request, {
    path: '/projects',
    title: t('list.title'),
    description: (count) => t('list.description', { count }),
    breadcrumbs: [[t('nav.projects'), '/projects']],
  });
};
