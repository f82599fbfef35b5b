import { useState } from 'react';
import { Link } from 'wouter';
import type { Promotion } from '#contract/promotions.ts';
import { bodyOf, client } from '../../api.ts';
import { usePending } from '../../app/listings.ts';
import { useResource } from '../../app/queries.ts';
import { isOn, siteSettings } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { ListingName } from '../../components/record-link.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { UtcDay } from '../../components/time.tsx';
import { formatMoney, formatNumber, formatPercent, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { Actions, Grant } from './actions.tsx';
import { Calendar } from './calendar.tsx';
import { Publications } from './publications.tsx';
import { text } from './strings.ts';

type Status = Promotion['status'];

const tones: Readonly<Record<Status, Tone>> = {
  pending_payment: 'neutral',
  pending: 'wait',
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
};

const CALENDAR_MAX = 100;

const columns: readonly Column<Promotion>[] = [
  {
    id: 'listing',
    label: text.columns.listing,
    kind: 'main',
    cell: ({ project_id, price, currency }) => (
      <>
        <Link href={`/listings?open=${project_id}`}>
          <ListingName id={project_id} />
        </Link>
        <span className="soft small block">{price === 0 ? text.free0 : text.paid(formatMoney(price, currency))}</span>
      </>
    ),
  },
  {
    id: 'status',
    label: text.columns.status,
    cell: ({ status }) => <Badge tone={tones[status]}>{text.states[status]}</Badge>,
  },
  {
    id: 'placements',
    label: text.columns.placements,
    kind: 'minor',
    cell: ({ placements }) => placements.map(words).join(', '),
  },
  {
    id: 'ends',
    label: text.columns.ends,
    kind: 'minor',
    cell: ({ ends_at }) => ends_at !== null && <UtcDay at={ends_at} />,
  },
  {
    id: 'impressions',
    label: text.columns.impressions,
    kind: 'end minor',
    cell: ({ impressions }) => formatNumber(impressions),
  },
  {
    id: 'clicks',
    label: text.columns.clicks,
    kind: 'end minor',
    cell: ({ clicks, impressions }) =>
      impressions === 0 ? formatNumber(clicks) : `${formatNumber(clicks)} · ${formatPercent(clicks / impressions)}`,
  },
  {
    id: 'actions',
    label: text.columns.actions,
    kind: 'actions',
    cell: (promotion) => <Actions promotion={promotion} />,
  },
];

export const Page = () => {
  const [url, setUrl] = useUrl();
  const [isGranting, setGranting] = useState(false);
  const status = (url.get('status') ?? 'all') as Status | 'all';
  const page = Number(url.get('page') ?? 1);
  const open = url.get('open');
  const placements = siteSettings().promotion_prices?.placements ?? [];
  const held = useResource(
    ['promotions', 'calendar'],
    (signal) => bodyOf(client.promotions.browse({ query: { status: 'all', limit: CALENDAR_MAX }, signal })),
    { poll: true },
  );
  const scheduled = usePending('true', { isEnabled: isOn('drafts') });
  const list = useResource(
    ['promotions', 'list', { status, page }],
    (signal) => bodyOf(client.promotions.browse({ query: { status, page }, signal })),
    { poll: true },
  );
  return (
    <>
      <PageHeader title="Promotions">
        <span className="push">
          <Button kind="primary" icon="add" onClick={() => setGranting(true)}>
            {text.grant}
          </Button>
        </span>
      </PageHeader>
      <div className="stack">
        <Loaded query={held} placeholder={<Calendar promotions={[]} placements={placements} />}>
          {({ data }) => <Calendar promotions={data} placements={placements} />}
        </Loaded>
        {isOn('drafts') && <Loaded query={scheduled}>{({ data }) => <Publications projects={data} />}</Loaded>}
        <section>
          <div className="filter-bar">
            <SelectField
              name="status"
              value={status}
              options={[['all', strings.fields.all], ...(Object.entries(text.states) as [Status, string][])]}
              onChange={(next) =>
                setUrl({ status: next === 'all' ? undefined : next, page: undefined, open: undefined })
              }
            />
          </div>
          <PagedTable
            query={list}
            empty={text.empty}
            emptyText={text.emptyText}
            first={open}
            label={text.list}
            columns={columns}
            idOf={({ id }) => id}
            nameOf={({ project_id }) => project_id}
          />
        </section>
      </div>
      {isGranting && (
        <Grant placements={placements.map(({ placement }) => placement)} onClose={() => setGranting(false)} />
      )}
    </>
  );
};
