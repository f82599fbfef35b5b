import type { Promotion } from '#contract/promotions.ts';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { utcDayOf } from '../../days.ts';
import { formatDay, formatNumber, words } from '../../format.ts';
import { text, promotions as texts } from './strings.ts';

const tones = {
  pending_payment: 'neutral',
  pending: 'wait',
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
} as const;

const columns: readonly Column<Promotion>[] = [
  {
    id: 'placements',
    label: words('placements'),
    kind: 'main',
    cell: ({ placements }) => placements.map(words).join(', '),
  },
  {
    id: 'status',
    label: words('status'),
    cell: ({ status }) => <Badge tone={tones[status]}>{words(status)}</Badge>,
  },
  {
    id: 'dates',
    label: texts.dates,
    cell: ({ starts_at, ends_at }) =>
      starts_at && ends_at ? `${formatDay(utcDayOf(starts_at))} – ${formatDay(utcDayOf(ends_at))}` : '–',
  },
  {
    id: 'impressions',
    label: words('impressions'),
    kind: 'end minor',
    cell: ({ impressions }) => formatNumber(impressions),
  },
  { id: 'clicks', label: words('clicks'), kind: 'end minor', cell: ({ clicks }) => formatNumber(clicks) },
];

const LIMIT = 100;

/** The promotions of a listing, newest first. */
export const Promotions = ({ project }: { readonly project: string }) => {
  const query = { project, status: 'all', limit: LIMIT } as const;
  const promotions = useResource(['promotions', 'listing', query], (signal) =>
    dataOf(client.promotions.browse({ query, signal })),
  );
  return (
    <Loaded query={promotions}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={texts.none} />
        ) : (
          <Table label={text.promotions} columns={columns} rows={rows} idOf={({ id }) => id} nameOf={({ id }) => id} />
        )
      }
    </Loaded>
  );
};
