import { settings } from '#platform/settings.ts';
import { countRequests, type RateWindow } from './rate-counter.ts';

/**
 * Who counts requests one by one writes to the table for each. A process that knows itself to be the only one may count
 * some ahead and give them out from memory. Nobody gets more than his limit either way: what is given out has been counted
 * before. What a process that dies had counted ahead is lost to its caller until the window ends, so a lease grows only with
 * what the caller has used: it is never more than that, and never more than the setting allows.
 */
interface Lease {
  /** The number that the next request gets. */
  next: number;
  /** The last number that is counted and ours to give. */
  last: number;
  readonly endsAt: number;
  extending: Promise<boolean> | undefined;
}

const leases = new Map<string, Lease>();
const LEASES_MAX = 10_000;

/** Ended windows go first; when all are running, everybody begins anew, and loses what was counted ahead for him. */
const makeRoom = (): void => {
  const nowSeconds = Date.now() / 1000;
  for (const [key, { endsAt }] of leases) if (endsAt <= nowSeconds) leases.delete(key);
  if (leases.size >= LEASES_MAX) leases.clear();
};

const leaseOf = ({ tier, bucket, window, endsAt }: RateWindow): Lease => {
  const key = `${tier} ${window} ${bucket}`;
  let lease = leases.get(key);
  if (!lease) {
    if (leases.size >= LEASES_MAX) makeRoom();
    lease = { next: 1, last: 0, endsAt, extending: undefined };
    leases.set(key, lease);
  }
  return lease;
};

/** @returns whether there is anything more to give. */
const extend = async (lease: Lease, rate: RateWindow, limit: number): Promise<boolean> => {
  const wanted = Math.max(1, Math.min(lease.last, settings().rateLeaseMax, limit - lease.last));
  let size = wanted;
  let last = await countRequests(rate, size, limit);
  if (last === undefined && wanted > 1) {
    // Somebody else counts too after all, and has left less than was thought.
    size = 1;
    last = await countRequests(rate, size, limit);
  }
  if (last === undefined) return false;
  lease.next = last - size + 1;
  lease.last = last;
  return true;
};

/**
 * Counts one request, unless the limit is reached already.
 * @returns the count with this request, or undefined when the limit was reached before.
 */
export const countRequest = async (rate: RateWindow, limit: number): Promise<number | undefined> => {
  if (settings().rateLeaseMax === 1) return await countRequests(rate, 1, limit);
  const lease = leaseOf(rate);
  while (lease.next > lease.last) {
    lease.extending ??= extend(lease, rate, limit).finally(() => {
      lease.extending = undefined;
    });
    if (!(await lease.extending)) return undefined;
  }
  lease.next += 1;
  return lease.next - 1;
};
