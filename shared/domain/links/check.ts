import type { ReadCatalog } from '#catalog/types.ts';
import { type Bookmarks, walkThrough } from '#domain/cron/walk.ts';
import { isOpen } from '#domain/projects/policy.ts';
import { type LinkRecord, linkAfter, type Probe, verdictOf } from './link.ts';

/** What checking links takes. */
export interface CheckLinksPorts extends Bookmarks {
  readonly now: () => string;
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  /** What is known about the links of some projects, in their order. */
  readonly findLinks: (projectIds: readonly string[]) => Promise<readonly (LinkRecord | undefined)[]>;
  /** Keeps what is known, unless the project is gone. */
  readonly keepLink: (link: LinkRecord) => Promise<void>;
  /** Asks whether anything is at an address. It does not throw. */
  readonly probe: (url: string) => Promise<Probe>;
}

const JOB = 'check-links';
/** How many addresses a run asks for at most. */
const PER_RUN = 400;
const AT_ONCE = 10;
/** How long before its end a run begins nothing more, in milliseconds: both questions of a probe may take their time. */
const LAST_PROBE_MS = 20_000;
/** How long an answer holds, in milliseconds: short of a day, so that a check a day does not slip to the next one. */
const FRESH_MS = 20 * 3_600_000;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/**
 * Looks whether the sites of live projects are still there, and keeps what it finds beside each project. It may run any number
 * of times and at the same time as itself: days are counted, not checks.
 */
export const checkLinks = async (ports: CheckLinksPorts, budgetMs: number) => {
  const until = performance.now() + Math.max(Math.min(budgetMs, 1000), budgetMs - LAST_PROBE_MS);
  const catalog = await ports.catalog('now');
  const ids: string[] = [];
  for (const { project } of catalog.all()) if (isOpen(project)) ids.push(project.id);
  const counts = { alive: 0, failing: 0, dead: 0, undecided: 0 };
  let processed = 0;

  const checkOne = async (project: { id: string; url: string }, known: LinkRecord | undefined): Promise<void> => {
    const at = ports.now();
    if (known?.url === project.url && Date.parse(at) - Date.parse(known.checked_at) < FRESH_MS) return;
    const probe = await ports.probe(project.url);
    const link = linkAfter(known, project, probe, at);
    await ports.keepLink(link);
    processed += 1;
    counts[verdictOf(probe) === 'undecided' ? 'undecided' : link.state] += 1;
  };

  const walked = await walkThrough(ports, ids, { job: JOB, until, atOnce: AT_ONCE, max: PER_RUN }, async (group) => {
    const known = await ports.findLinks(group);
    const due = group.flatMap((id, position) => {
      const project = catalog.find(id)?.project;
      return project ? [{ project, known: known[position] }] : [];
    });
    // One host is asked for one thing at a time.
    const hosts = Map.groupBy(due, ({ project }) => hostOf(project.url)).values();
    await Promise.all(
      [...hosts].map(async (own) => {
        for (const one of own) await checkOne(one.project, one.known);
      }),
    );
  });
  return { processed, ...counts, unfinished: walked.unfinished };
};
