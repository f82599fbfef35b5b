import { linkKey, projectKey } from './keys.ts';
import { findItems, recordOf } from './read.ts';
import { ConditionFailed, exists, transact } from './write.ts';

/** The result of checking the URL of a project. */
export interface LinkRecord {
  readonly project_id: string;
  /** The checked URL; a project with another URL starts without failures. */
  readonly url: string;
  /** `failing`: missing, on fewer than `DEAD_AFTER_DAYS` days. */
  readonly state: 'alive' | 'failing' | 'dead';
  /** The status of the last response; null without a response. */
  readonly status: number | null;
  readonly checked_at: string;
  /** Where redirects led; null without a response. */
  readonly final_url: string | null;
  /** UTC days on which the site was missing since it was last reachable, `yyyy-mm-dd`, at most `DEAD_AFTER_DAYS`. */
  readonly failed_days: readonly string[];
}

/** The outcome of requesting a URL. */
interface Probe {
  /** Null without a response. */
  readonly status: number | null;
  /** Whether the host name does not exist in DNS. */
  readonly noSuchName: boolean;
  /** Where redirects led; absent: no redirect. */
  readonly finalUrl?: string;
}

const DEAD_AFTER_DAYS = 3;

const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 410]);

const FAILURES_FROM = 400;

/** `undecided`: a failure that may be temporary or caused by the client, such as 403, 429 or 503. */
export const classifyProbe = ({ status, noSuchName }: Probe): 'reachable' | 'missing' | 'undecided' => {
  if (noSuchName || (status !== null && MISSING_STATUSES.has(status))) return 'missing';
  return status !== null && status < FAILURES_FROM ? 'reachable' : 'undecided';
};

/** The record after a probe. Any number of failures on one day count as one. */
export const linkAfter = (
  previous: LinkRecord | undefined,
  { id: project_id, url }: { readonly id: string; readonly url: string },
  probe: Probe,
  at: string,
): LinkRecord => {
  const outcome = classifyProbe(probe);
  const failedBefore = previous?.url === url ? previous.failed_days : [];
  const failedNow = [...new Set([...failedBefore, at.slice(0, 10)])].slice(0, DEAD_AFTER_DAYS);
  const failed_days = { reachable: [], missing: failedNow, undecided: failedBefore }[outcome];
  const state = failed_days.length >= DEAD_AFTER_DAYS ? 'dead' : failed_days.length > 0 ? 'failing' : 'alive';
  const final_url = probe.status === null ? null : (probe.finalUrl ?? url);
  return { project_id, url, state, status: probe.status, checked_at: at, final_url, failed_days };
};

/** Finds the link records of projects, in the order of `projectIds`. */
export const findLinks = async (projectIds: readonly string[]): Promise<(LinkRecord | undefined)[]> =>
  (await findItems(projectIds.map(linkKey))).map((item) => item && recordOf<LinkRecord>(item));

/** Stores the link record of a project, unless the project is deleted. Of concurrent checks the last write wins. */
export const saveLink = async (link: LinkRecord): Promise<void> => {
  try {
    await transact([
      { check: projectKey(link.project_id), when: exists },
      { put: { ...linkKey(link.project_id), type: 'link', ...link } },
    ]);
  } catch (error) {
    // The project was deleted concurrently.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
