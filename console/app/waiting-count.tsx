import { Badge } from '../components/badge.tsx';
import { formatNumber } from '../format.ts';
import { useWaiting } from './waiting.ts';

type Waiting = NonNullable<ReturnType<typeof useWaiting>['data']>;

/** The numbers of the pages that have something to do. */
const countsOf: Readonly<Record<string, (waiting: Waiting) => number>> = {
  '/queue': ({ pending, revisions_pending }) => pending + revisions_pending,
  '/reports': ({ reports_open, vote_cases_open = 0 }) => reports_open + vote_cases_open,
  '/promotions': ({ promotions_waiting }) => promotions_waiting,
  '/webhooks': ({ webhooks_failing }) => webhooks_failing,
  '/events': ({ dead_letters }) => dead_letters,
  '/jobs': ({ jobs_failed }) => jobs_failed,
};

const Count = ({ of }: { readonly of: (waiting: Waiting) => number }) => {
  const { data } = useWaiting();
  const count = data ? of(data) : 0;
  return count === 0 ? null : (
    <span className="count">
      <Badge tone="wait">{formatNumber(count)}</Badge>
    </span>
  );
};

/** The number of items that wait on a page, beside its link. */
export const WaitingCount = ({ path }: { readonly path: string }) => {
  const of = countsOf[path];
  return of ? <Count of={of} /> : null;
};
