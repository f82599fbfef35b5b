import { Badge } from '../components/badge.tsx';
import { formatNumber } from '../format.ts';
import { useWaiting } from './waiting.ts';

const QueueCount = () => {
  const { data } = useWaiting();
  const count = (data?.pending ?? 0) + (data?.revisions_pending ?? 0);
  return count === 0 ? null : (
    <span className="count">
      <Badge tone="wait">{formatNumber(count)}</Badge>
    </span>
  );
};

/** The number of items that wait on a page, beside its link. */
export const WaitingCount = ({ path }: { readonly path: string }) => (path === '/queue' ? <QueueCount /> : null);
