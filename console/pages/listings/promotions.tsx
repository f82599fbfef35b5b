import type { Promotion } from '#contract/promotions.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatDay, formatNumber, words } from '../../format.ts';
import { strings } from '../../strings.ts';

const LIMIT = 100;
const tones = {
  pending_payment: 'neutral',
  pending: 'wait',
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
} as const;

/** The list of all promotions has no filter by listing, so every page of it is read. */
const readAll = async (project: string, signal: AbortSignal): Promise<readonly Promotion[]> => {
  const found: Promotion[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await bodyOf(
      client.promotions.browse({ query: { status: 'all', page, limit: LIMIT }, signal }),
    );
    found.push(...data.filter((promotion) => promotion.project_id === project));
    if (!meta.hasMore) return found;
  }
};

/** The promotions of a listing, newest first. */
export const Promotions = ({ project }: { readonly project: string }) => (
  <Loaded query={useResource(['promotions', project], (signal) => readAll(project, signal))}>
    {(promotions) =>
      promotions.length === 0 ? (
        <EmptyState title={strings.promotions.none} />
      ) : (
        <Table
          label={strings.listings.promotions}
          rows={promotions}
          idOf={({ id }) => id}
          nameOf={({ id }) => id}
          columns={[
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
              label: strings.promotions.dates,
              cell: ({ starts_at, ends_at }) =>
                starts_at && ends_at ? `${formatDay(starts_at)} – ${formatDay(ends_at)}` : '–',
            },
            {
              id: 'impressions',
              label: words('impressions'),
              kind: 'end minor',
              cell: ({ impressions }) => formatNumber(impressions),
            },
            { id: 'clicks', label: words('clicks'), kind: 'end minor', cell: ({ clicks }) => formatNumber(clicks) },
          ]}
        />
      )
    }
  </Loaded>
);
