import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import { dayAfter, daysFrom } from '#domain/analytics/days.ts';
import { type Bookmarks, walkThrough } from '#domain/cron/walk.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { WeeklyDigest } from '#shared/mail/digest-letters.ts';
import { lastWeek } from './week.ts';

/** What was counted of a project on some days. */
interface Figures {
  readonly days: readonly { readonly project_views: number; readonly outbound_clicks: number }[];
}

/** What mailing digests takes. */
export interface DigestPorts extends Bookmarks {
  readonly now: () => string;
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  /** The ids of all users who have not been erased. */
  readonly userIds: () => Promise<readonly string[]>;
  readonly findUser: (userId: string) => Promise<UserRecord | undefined>;
  readonly projectRollUps: (projectId: string, from: string, to: string) => Promise<Figures>;
  /** Mails it once per user and week. @returns whether it was sent now. @throws when it was not accepted. */
  readonly sendDigest: (user: UserRecord, digest: WeeklyDigest) => Promise<boolean>;
  readonly report: (problem: string, facts: Readonly<Record<string, unknown>>) => void;
}

const AT_ONCE = 5;
/** How many new listings, and how many of the reader's own, a letter names. */
const SHOWN = 5;
const OWN_SHOWN = 10;

const numbersOf = async (ports: DigestPorts, own: readonly CatalogEntry[], days: readonly string[]) => {
  const [from = '', to = ''] = [days[0], days.at(-1)];
  return await Promise.all(
    own.slice(0, OWN_SHOWN).map(async ({ project: { id, name, slug }, counts }) => {
      const figures = (await ports.projectRollUps(id, from, to)).days;
      const views = figures.reduce((sum, day) => sum + day.project_views, 0);
      const clicks = figures.reduce((sum, day) => sum + day.outbound_clicks, 0);
      return { name, slug, views, clicks, upvotes: counts.upvote_count };
    }),
  );
};

/**
 * Mails those who want it what the last whole week has brought: what is new, and the numbers of their own listings. Each user
 * gets one letter a week, however often, late or at the same time as itself this runs.
 */
export const sendDigests = async (ports: DigestPorts, budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const { week, monday } = lastWeek(ports.now());
  const days = daysFrom(monday, dayAfter(monday, 6));
  const nextMonday = dayAfter(monday, 7);
  const catalog = await ports.catalog('now');
  const fresh: CatalogEntry[] = [];
  const byOwner = new Map<string, CatalogEntry[]>();
  for (const entry of catalog.all()) {
    if (!isOpen(entry.project)) continue;
    const { published_at, owner_id } = entry.project;
    if (published_at !== null && published_at >= monday && published_at < nextMonday) fresh.push(entry);
    byOwner.set(owner_id, [...(byOwner.get(owner_id) ?? []), entry]);
  }
  fresh.sort((a, b) => b.counts.upvote_count - a.counts.upvote_count || (a.project.id < b.project.id ? -1 : 1));
  const projects = fresh
    .slice(0, SHOWN)
    .map(({ project: { name, slug, description } }) => ({ name, slug, description }));

  let [sent, failed] = [0, 0];
  const sendTo = async (userId: string): Promise<void> => {
    try {
      const user = await ports.findUser(userId);
      if (user?.erased_at !== null || user.is_banned || !user.notifications.weekly_digest) return;
      const own = await numbersOf(ports, byOwner.get(userId) ?? [], days);
      if (await ports.sendDigest(user, { week, newCount: fresh.length, projects, own })) sent += 1;
    } catch (error) {
      // Another run of this job writes to him at this very moment.
      if (error instanceof Error && error.name === 'AlreadyRunning') return;
      failed += 1;
      ports.report('a weekly digest could not be sent', { week, error });
    }
  };
  const bounds = { job: `weekly-digest ${week}`, until, atOnce: AT_ONCE };
  const walked = await walkThrough(ports, await ports.userIds(), bounds, (ids) => Promise.all(ids.map(sendTo)));
  return { ...walked, week, sent, failed };
};
