import type { CatalogEntry } from '#catalog/types.ts';
import { projectRollUps } from '#data/analytics.ts';
import { catalog } from '#data/catalog.ts';
import { iterateResumably } from '#data/checkpoints.ts';
import { AlreadyRunning } from '#data/deduplication.ts';
import { allUserIds, findUser } from '#data/users.ts';
import { DAY_MS, dayAfter, dayOf, daysFrom } from '#model/days.ts';
import { isOpen } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { digestEmail, type ListingStatistics, type WeeklyDigest } from '#shared/mail/templates.ts';
import { mailOnce } from './mailer.ts';

/**
 * Mails a user the digest of a week, once per week. A digest without any listing is not sent.
 * @returns whether the email was sent by this call.
 * @throws when the email was not accepted; calling again retries it.
 */
export const mailDigest = async (user: UserRecord, digest: WeeklyDigest): Promise<boolean> => {
  if (digest.projects.length === 0 && (digest.own ?? []).length === 0) return false;
  const occasion = `${user.id} ${digest.week}`;
  return await mailOnce({ user, notification: 'weekly_digest' }, 'mail.weeklyDigest', occasion, (name, branding) =>
    digestEmail(digest, name, branding),
  );
};

const daysSinceMonday = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;

/** The last complete week at a time: its ISO 8601 name, such as `2026-W47`, and its Monday (`yyyy-mm-dd`, UTC). */
export const lastWeek = (at: string): { readonly week: string; readonly monday: string } => {
  const today = dayOf(at);
  const monday = dayAfter(today, -daysSinceMonday(today) - 7);
  // ISO 8601: a week belongs to the year of its Thursday, and week 1 is the week with January 4th.
  const year = dayAfter(monday, 3).slice(0, 4);
  const fourth = `${year}-01-04`;
  const firstMonday = dayAfter(fourth, -daysSinceMonday(fourth));
  const number = Math.round((Date.parse(monday) - Date.parse(firstMonday)) / (7 * DAY_MS)) + 1;
  return { week: `${year}-W${String(number).padStart(2, '0')}`, monday };
};

const CONCURRENCY = 5;
/** How many new listings, and how many of the recipient's own, an email lists. */
const NEW_MAX = 5;
const OWN_MAX = 10;

const statisticsOf = async (own: readonly CatalogEntry[], days: readonly string[]): Promise<ListingStatistics[]> => {
  const [from = '', to = ''] = [days[0], days.at(-1)];
  return await Promise.all(
    own.slice(0, OWN_MAX).map(async ({ project: { id, name, slug }, counts }) => {
      const rollUps = (await projectRollUps(id, from, to)).days;
      const views = rollUps.reduce((sum, day) => sum + day.project_views, 0);
      const clicks = rollUps.reduce((sum, day) => sum + day.outbound_clicks, 0);
      return { name, slug, views, clicks, upvotes: counts.upvote_count };
    }),
  );
};

/**
 * Mails the digest of the last complete week to all subscribed users: new listings and statistics of their own. Each
 * user gets at most one per week, also with repeated and concurrent runs. A run that exceeds `budgetMs` is continued by
 * the next one.
 */
export const mailWeeklyDigests = async (budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const { week, monday } = lastWeek(now());
  const days = daysFrom(monday, dayAfter(monday, 6));
  const nextMonday = dayAfter(monday, 7);
  const listings = await catalog('now');
  const published: CatalogEntry[] = [];
  const byOwner = new Map<string, CatalogEntry[]>();
  for (const entry of listings.all()) {
    if (!isOpen(entry.project)) continue;
    const { published_at, owner_id } = entry.project;
    if (published_at !== null && published_at >= monday && published_at < nextMonday) published.push(entry);
    byOwner.set(owner_id, [...(byOwner.get(owner_id) ?? []), entry]);
  }
  published.sort((a, b) => b.counts.upvote_count - a.counts.upvote_count || (a.project.id < b.project.id ? -1 : 1));
  const projects = published
    .slice(0, NEW_MAX)
    .map(({ project: { name, slug, description } }) => ({ name, slug, description }));

  let [sent, failed] = [0, 0];
  const mailTo = async (userId: string): Promise<void> => {
    try {
      const user = await findUser(userId);
      if (user?.erased_at !== null || user.is_banned || !user.notifications.weekly_digest) return;
      const own = await statisticsOf(byOwner.get(userId) ?? [], days);
      if (await mailDigest(user, { week, newCount: published.length, projects, own })) sent += 1;
    } catch (error) {
      // A concurrent run of this job is mailing the same user.
      if (error instanceof AlreadyRunning) return;
      failed += 1;
      log.warn('weekly digest failed', { week, error });
    }
  };
  const bounds = { job: `weekly-digest ${week}`, until, batchSize: CONCURRENCY };
  const progress = await iterateResumably(await allUserIds(), bounds, (ids) => Promise.all(ids.map(mailTo)));
  return { ...progress, week, sent, failed };
};
