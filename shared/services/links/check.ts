import { catalog } from '#data/catalog.ts';
import { findLinks, saveLink } from '#data/links.ts';
import { classifyProbe, type LinkRecord, linkAfter } from '#model/link.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { probeOutbound } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';
import { iterateResumably } from '#services/cron/resumable-iteration.ts';

const JOB = 'check-links';
const PROJECTS_PER_RUN = 400;
const BATCH_SIZE = 10;
/** A run starts no batch in this time before its end, in milliseconds: both requests of a probe may time out. */
const LAST_BATCH_MS = 20_000;
/** A link is checked again after this time, in milliseconds: under a day, so that a daily run skips no link. */
const RECHECK_AFTER_MS = 20 * 3_600_000;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** The user agent tells operators who sends the request. */
const probe = (url: string) =>
  probeOutbound({ url, headers: { 'user-agent': `directory-link-check (+${settings().siteUrl})`, accept: '*/*' } });

const REDIRECTS_MAX = 5;

/** Where a redirect leads, as far as it can be followed; each address is checked like the first one. */
const follow = async (redirectUrl: string): Promise<string> => {
  let url = redirectUrl;
  for (let hops = 1; hops < REDIRECTS_MAX; hops += 1) {
    const next = (await probe(url)).redirectUrl;
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
 */
export const checkLinks = async (budgetMs: number) => {
  const until = performance.now() + Math.max(Math.min(budgetMs, 1000), budgetMs - LAST_BATCH_MS);
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

  const checkOne = async (project: { id: string; url: string }, previous: LinkRecord | undefined): Promise<void> => {
    const at = now();
    const isFresh =
      previous?.url === project.url && Date.parse(at) - Date.parse(previous.checked_at) < RECHECK_AFTER_MS;
    if (isFresh) return;
    const outcome = await probe(project.url);
    const finalUrl = outcome.redirectUrl === undefined ? project.url : await follow(outcome.redirectUrl);
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
    // A host receives one request at a time.
    const hosts = Map.groupBy(due, ({ project }) => hostOf(project.url)).values();
    await Promise.all(
      [...hosts].map(async (sameHost) => {
        for (const { project, link } of sameHost) await checkOne(project, link);
      }),
    );
  };

  const isEffective = () => isReachable || withheld.length === 0;
  const iteration = { job: JOB, until, batchSize: BATCH_SIZE, max: PROJECTS_PER_RUN, isEffective };
  const { unfinished } = await iterateResumably(ids, iteration, checkBatch);
  if (isNetworkFailure()) {
    log.error('no host name could be resolved: the check of links has changed nothing', { processed });
    return { processed, alive: 0, failing: 0, dead: 0, undecided: processed, network_failure: true, unfinished };
  }
  await saveWithheld();
  return { processed, ...counts, network_failure: false, unfinished };
};
