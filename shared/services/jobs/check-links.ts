import { catalog } from '#data/catalog.ts';
import { iterateResumably } from '#data/checkpoints.ts';
import { classifyProbe, findLinks, type LinkRecord, linkAfter, saveLink } from '#data/links.ts';
import type { ProjectRecord } from '#model/project.ts';
import { isRecent, now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { probeOutbound, type Resolve } from '#platform/outbound.ts';

const JOB = 'check-links';
const PROJECTS_PER_RUN = 400;
const BATCH_SIZE = 10;
/** Requests to one host at once. */
const PER_HOST = 2;
/** A run starts no batch in this time before its end, in milliseconds. */
const LAST_BATCH_MS = 20_000;
/** A run ends the last requests in this time before its end, in milliseconds. */
const RESERVE_MS = 1000;

/** Slow hosts must not keep the check from the others. In milliseconds. */
interface CheckLimits {
  /** All requests for one listing, redirects included. */
  readonly listingMs: number;
  /** A batch begins no listing after this time: those that are left are checked by the next daily run. */
  readonly batchMs: number;
}

const LIMITS: CheckLimits = { listingMs: 15_000, batchMs: 20_000 };
/** A link is checked again after this time, in milliseconds: under a day, so that a daily run skips no link. */
const RECHECK_AFTER_MS = 20 * 3_600_000;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

interface ProbeOptions {
  readonly signal: AbortSignal;
  readonly resolve?: Resolve;
}

/** The user agent tells operators who sends the request. */
const probe = (url: string, options: ProbeOptions) =>
  probeOutbound(
    { url, headers: { 'user-agent': `directory-link-check (+${environment().siteUrl})`, accept: '*/*' } },
    options,
  );

const REDIRECTS_MAX = 5;

/** Where a redirect leads, as far as it can be followed; each address is checked like the first one. */
const follow = async (redirectUrl: string, options: ProbeOptions): Promise<string> => {
  let url = redirectUrl;
  for (let hops = 1; hops < REDIRECTS_MAX && !options.signal.aborted; hops += 1) {
    const next = (await probe(url, options)).redirectUrl;
    if (next === undefined) break;
    url = next;
  }
  return url;
};

/** The daily check covers what is public or waits for a moderator. */
const isChecked = ({ status, deleted_at }: ProjectRecord): boolean => status !== 'rejected' && deleted_at === null;

/**
 * Requests the URLs of live and pending projects and stores the outcome beside each project. Safe to repeat and to run
 * concurrently: days are counted, not checks. A run in which lookups fail and no host is reached has no network, or no
 * name server: it stores nothing, and its outcomes are kept in memory until the first host is reached.
 * @param resolve how host names are resolved; by the system unless it is given.
 */
export const checkLinks = async (
  budgetMs: number,
  { listingMs, batchMs, resolve }: CheckLimits & Pick<ProbeOptions, 'resolve'> = LIMITS,
) => {
  const startedAt = performance.now();
  const until = startedAt + Math.max(Math.min(budgetMs, 1000), budgetMs - LAST_BATCH_MS);
  const endsAt = startedAt + Math.max(budgetMs, RESERVE_MS * 2) - RESERVE_MS;
  const current = await catalog('now');
  const ids: string[] = [];
  for (const { project } of current.all()) if (isChecked(project)) ids.push(project.id);
  const counts = { alive: 0, failing: 0, dead: 0, undecided: 0 };
  let processed = 0;
  let isReachable = false;
  let hasFailedLookups = false;
  const withheld: LinkRecord[] = [];
  const isNetworkFailure = (): boolean => hasFailedLookups && !isReachable;
  const saveWithheld = async (): Promise<void> => {
    for (let link = withheld.pop(); link; link = withheld.pop()) await saveLink(link);
  };

  const checkOne = async (
    project: Pick<ProjectRecord, 'id' | 'url' | 'status'>,
    previous: LinkRecord | undefined,
  ): Promise<void> => {
    const at = now();
    const isFresh = previous?.url === project.url && isRecent(previous.checked_at, RECHECK_AFTER_MS);
    if (isFresh) return;
    const signal = AbortSignal.timeout(Math.max(0, Math.min(listingMs, Math.round(endsAt - performance.now()))));
    const options = { signal, ...(resolve && { resolve }) };
    const outcome = await probe(project.url, options);
    // Everyone may submit; where a pending listing leads is of no use yet.
    const isFollowed = outcome.redirectUrl !== undefined && project.status === 'live';
    const finalUrl = isFollowed ? await follow(outcome.redirectUrl, options) : (outcome.redirectUrl ?? project.url);
    const link = linkAfter(previous, project, { ...outcome, finalUrl }, at);
    isReachable ||= outcome.status !== null || outcome.lookup === 'resolved';
    hasFailedLookups ||= outcome.lookup === 'failed';
    withheld.push(link);
    if (isReachable) await saveWithheld();
    processed += 1;
    counts[classifyProbe(outcome) === 'undecided' ? 'undecided' : link.state] += 1;
  };

  const checkBatch = async (batch: readonly string[]): Promise<void> => {
    const links = await findLinks(batch);
    const due = batch.flatMap((id, position) => {
      const project = current.find(id)?.project;
      return project ? [{ project, link: links[position] }] : [];
    });
    const batchUntil = performance.now() + batchMs;
    const hosts = Map.groupBy(due, ({ project }) => hostOf(project.url)).values();
    await Promise.all(
      [...hosts].map((sameHost) =>
        mapConcurrently(sameHost, ({ project, link }) => checkOne(project, link), {
          concurrency: PER_HOST,
          until: batchUntil,
        }),
      ),
    );
  };

  const isEffective = () => isReachable || withheld.length === 0;
  const iteration = {
    job: JOB,
    until,
    batchSize: BATCH_SIZE,
    max: PROJECTS_PER_RUN,
    batchesPerCheckpoint: 1,
    isEffective,
  };
  const { unfinished } = await iterateResumably(ids, iteration, checkBatch);
  if (isNetworkFailure()) {
    log.error('no host name could be resolved: the check of links has changed nothing', { processed });
    return { processed, alive: 0, failing: 0, dead: 0, undecided: processed, network_failure: true, unfinished };
  }
  await saveWithheld();
  return { processed, ...counts, network_failure: false, unfinished };
};
