/** What is known about the site that a project leads to. */
export interface LinkRecord {
  readonly project_id: string;
  /** The address that this is about; with another one everything begins anew. */
  readonly url: string;
  /** `failing`: not found, but not for long enough to be dead. */
  readonly state: 'alive' | 'failing' | 'dead';
  /** What was answered last; null when nothing was. */
  readonly status: number | null;
  readonly checked_at: string;
  /** The days, in UTC, on which it was not found since it was last there; the first `DEAD_DAYS` of them. */
  readonly failed_days: readonly string[];
}

/** How asking for an address went. */
export interface Probe {
  readonly status: number | null;
  /** Whether the name exists nowhere. */
  readonly noSuchName: boolean;
}

/** On how many days a site has to be gone to be dead. */
const DEAD_DAYS = 3;

/** Not found, and gone for good. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** The first status that is no success and no redirect. */
const FAILURES_FROM = 400;

/** What follows from an answer: nothing from one that may only mean this visitor or this moment. */
export const verdictOf = ({ status, noSuchName }: Probe): 'there' | 'gone' | 'undecided' => {
  if (noSuchName || (status !== null && GONE.has(status))) return 'gone';
  return status !== null && status < FAILURES_FROM ? 'there' : 'undecided';
};

/** What is known after a probe. One day counts once, however often it is asked on it. */
export const linkAfter = (
  previous: LinkRecord | undefined,
  { id: project_id, url }: { readonly id: string; readonly url: string },
  probe: Probe,
  at: string,
): LinkRecord => {
  const before = previous?.url === url ? previous : undefined;
  const verdict = verdictOf(probe);
  const known = before?.failed_days ?? [];
  const failed_days =
    verdict === 'there'
      ? []
      : verdict === 'gone'
        ? [...new Set([...known, at.slice(0, 10)])].slice(0, DEAD_DAYS)
        : known;
  const state = failed_days.length >= DEAD_DAYS ? 'dead' : failed_days.length > 0 ? 'failing' : 'alive';
  return { project_id, url, state, status: probe.status, checked_at: at, failed_days };
};
