import { memo, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useCategories } from '../../app/listings.ts';
import { isOn } from '../../app/session.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Logo } from '../../components/logo.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { type Filters, type Item, type Kind, kinds, nameOf, scheduledFor } from './items.ts';
import { Risks } from './risks.tsx';
import { text } from './strings.ts';

/** Only rows that change are rendered again: a key press moves through a list of a hundred. */
export const Row = memo(
  ({
    item,
    isOpen,
    isSelected,
    href,
    onSelect,
  }: {
    readonly item: Item;
    readonly isOpen: boolean;
    readonly isSelected: boolean;
    readonly href: string;
    readonly onSelect: (id: string) => void;
  }) => {
    const row = useRef<HTMLLIElement>(null);
    useEffect(() => {
      if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
    }, [isOpen]);
    const name = nameOf(item);
    const publishAt = scheduledFor(item);
    const extra =
      item.kind === 'edit'
        ? item.revision.changes.map(({ field }) => field.replaceAll('_', ' ')).join(', ')
        : hostOf(item.project.url);
    return (
      <li ref={row} className="queue-row" data-open={isOpen}>
        <input
          type="checkbox"
          aria-label={strings.table.select(name)}
          checked={isSelected}
          onChange={() => onSelect(item.id)}
        />
        <Link href={href} replace aria-current={isOpen}>
          <Logo url={item.kind === 'submission' ? item.project.logo_url : null} name={name} />
          <span className="queue-row-text">
            <span className="truncate" dir="auto">
              {name}
            </span>
            <span className="soft small truncate">{extra}</span>
          </span>
          <span className="queue-row-end small">
            {publishAt === null ? <Time at={item.at} isAge /> : <Time at={publishAt} isDay />}
            {item.kind === 'edit' && <Badge tone="accent">{text.edit}</Badge>}
            <Risks item={item} />
          </span>
        </Link>
      </li>
    );
  },
);

type Changed = Partial<Record<keyof Filters, string | undefined>>;

/** The kinds of items as tabs with their numbers. */
export const KindTabs = ({
  kind,
  counts,
}: {
  readonly kind: Filters['kind'];
  readonly counts: Readonly<Record<Exclude<Kind, 'all'>, number | undefined>>;
}) => {
  const href = useHref();
  const countOf = { ...counts, all: (counts.submissions ?? 0) + (counts.edits ?? 0) };
  return (
    <Tabs
      label={text.kind}
      tabs={(isOn('drafts') ? kinds : kinds.filter((one) => one !== 'scheduled')).map(
        (one) => [one, `${text.kinds[one]} ${formatNumber(countOf[one] ?? 0)}`] as const,
      )}
      current={kind}
      hrefOf={(one) => href({ kind: one === 'all' ? undefined : one, open: undefined })}
    />
  );
};

/** The order of the list, and what it leaves out. Only values that occur are offered. */
export const ListTools = ({
  items,
  filters,
  shown,
  submitterName,
  onSelectAll,
}: {
  /** All that wait, before the filters. */
  readonly items: readonly Item[];
  readonly filters: Filters;
  /** The number of items after the filters. */
  readonly shown: number;
  readonly submitterName: string;
  readonly onSelectAll: () => void;
}) => {
  const [, setUrl] = useUrl();
  const { nameOf: categoryName } = useCategories();
  const change = (patch: Changed) => setUrl({ ...patch, open: undefined });
  const projects = items.flatMap((item) => (item.kind === 'submission' ? [item.project] : []));
  const categories = [...new Set([filters.category, ...projects.flatMap((one) => one.categories)])].filter(Boolean);
  const rules = [...new Set([filters.rule, ...projects.map(({ rule }) => rule?.name ?? '')])].filter(Boolean);
  const isFiltered = filters.category !== '' || filters.submitter !== '' || filters.rule !== '';
  return (
    <div className="queue-tools">
      <SelectField
        name="order"
        value={filters.order}
        options={[
          ['oldest', filters.kind === 'scheduled' ? text.nextFirst : text.oldestFirst],
          ['risk', text.riskFirst],
        ]}
        onChange={(order) => change({ order: order === 'oldest' ? undefined : order })}
      />
      <SelectField
        name="category"
        value={filters.category}
        options={[['', strings.fields.all], ...categories.map((slug) => [slug, categoryName(slug)] as const)]}
        onChange={(category) => change({ category })}
      />
      {rules.length > 0 && (
        <SelectField
          name="rule"
          value={filters.rule}
          options={[['', strings.fields.all], ...rules.map((name) => [name, name] as const)]}
          onChange={(rule) => change({ rule })}
        />
      )}
      {isFiltered && (
        <p className="row">
          {filters.submitter !== '' && (
            <span className="chip">
              <bdi>{text.by(submitterName)}</bdi>
              <Button
                kind="quiet"
                icon="close"
                label={text.everySubmitter}
                onClick={() => change({ submitter: undefined })}
              />
            </span>
          )}
          {shown > 0 && (
            <Button kind="link" onClick={onSelectAll}>
              {text.selectAll(shown)}
            </Button>
          )}
        </p>
      )}
    </div>
  );
};
