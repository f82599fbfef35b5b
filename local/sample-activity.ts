import { applyStep, insertFunnelDay } from '#data/analytics.ts';
import { type CommentRecord, commentInsertion } from '#data/comments.ts';
import { countReaction } from '#data/counts.ts';
import { replaceProject } from '#data/projects.ts';
import { insertPromotion, readOccupancy } from '#data/promotions.ts';
import { ratingReplacement, voteInsertion } from '#data/reactions.ts';
import { replaceReport } from '#data/reports.ts';
import { findOrCreateUser } from '#data/users.ts';
import { ConditionFailed, transact } from '#data/write.ts';
import { addTallies, type DayFigures, emptyDay, type QueryFigures, type Tally } from '#model/analytics.ts';
import { DAY_MS, dayOf } from '#model/days.ts';
import type { ProjectRecord } from '#model/project.ts';
import { derivedId, newId } from '#platform/ids.ts';

// What visitors did with the sample listings: votes, ratings, comments, reports, an edit that waits, promotions, visits and searches.

const NAMES = [
  'Amara Okafor',
  'Bruno Keller',
  'Chiara Rossi',
  'Dmitri Volkov',
  'Elena García',
  'Farid Haddad',
  'Greta Lindqvist',
  'Hana Suzuki',
  'Ines Carvalho',
  'Jonas Weber',
  'Kavya Iyer',
  'Liam Murphy',
  'Mei Chen',
  'Noor Rahman',
  'Olivia Brown',
  'Pavel Novák',
  'Quinn Taylor',
  'Rosa Jiménez',
  'Samuel Dube',
  'Tuva Berg',
  'Umar Siddiqui',
  'Vera Popescu',
  'Wen Li',
  'Yusuf Kaya',
];

const visitorId = (index: number): string => `sample-visitor-${index + 1}`;

const COMMENTS = [
  'I moved our team here last month and have not looked back.',
  'The documentation is better than the tool that I paid for before.',
  'Works well on an old laptop, which matters to me.',
  'It took me an evening to learn. After that it was faster than anything else.',
  'The keyboard shortcuts are worth the visit to the manual.',
  'Export works, so I am not afraid to put things in.',
  'A small thing: the dark theme could have more contrast.',
  'We use it in class. Thirty pupils, no account needed.',
  'The last release fixed the crash that I reported. Thank you!',
  'How well does it cope with very large files?',
];

/** Numbers that are the same at every start: the sample data of two machines can be compared. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};
type Random = () => number;

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** A moment between two times. */
const between = (random: Random, from: string, to: number): string =>
  new Date(Date.parse(from) + random() * (to - Date.parse(from))).toISOString();

/** All reactions to a listing in one transaction, in which its counters change by their number. */
const addReactions = async (project: ProjectRecord, position: number, until: number): Promise<void> => {
  const random = randomOf(position + 1);
  const from = project.published_at ?? project.created_at;
  // A few listings are popular, most are not.
  const interest = 0.12 + 0.85 * random() ** 2;
  const users = NAMES.map((_, index) => visitorId(index));
  const votes = users.filter(() => random() < interest);
  const ratings = users
    .filter(() => random() < interest * 0.45)
    .map((user) => [user, Math.min(5, 3 + Math.floor(random() * 3 + interest * 0.5))] as const);
  const authors = users.filter(() => random() < interest * 0.16).slice(0, 5);
  const comments = authors.map((user): CommentRecord => {
    const at = between(random, from, until);
    return {
      id: derivedId('cmt', Date.parse(at), `${project.slug} ${user}`),
      project_id: project.id,
      user_id: user,
      content: pick(random, COMMENTS),
      created_at: at,
      updated_at: at,
      is_hidden: false,
    };
  });
  if (votes.length + ratings.length + comments.length === 0) return;
  try {
    await transact([
      ...votes.map((user) => voteInsertion(project.id, user, between(random, from, until))),
      ...ratings.map(([user, rating]) =>
        ratingReplacement(project.id, user, undefined, rating, between(random, from, until)),
      ),
      ...comments.flatMap(commentInsertion),
      countReaction(project.id, {
        upvote_count: votes.length,
        ratings_count: ratings.length,
        ratings_sum: ratings.reduce((sum, [, rating]) => sum + rating, 0),
        comments_count: comments.length,
      }),
    ]);
  } catch (error) {
    // An interrupted start has stored them.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

const REPORTS = [
  ['broken link', 'The link to the downloads answers 404.'],
  ['wrong category', 'This belongs to the tools for developers.'],
  ['outdated', 'The price has changed since the last major release.'],
] as const;

const addReports = async (projects: readonly ProjectRecord[]): Promise<void> => {
  for (const [index, [reason, details]] of REPORTS.entries()) {
    const project = projects[index * 7];
    if (!project) continue;
    const at = new Date(Date.now() - (index + 1) * DAY_MS).toISOString();
    try {
      await replaceReport(undefined, {
        id: derivedId('rep', Date.parse(at), project.slug),
        project_id: project.id,
        user_id: visitorId(index),
        reason,
        details,
        status: 'open',
        note: null,
        created_at: at,
        updated_at: at,
        version: 1,
      });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

const addPendingEdit = async (project: ProjectRecord): Promise<void> => {
  const after = `${project.description} Now also for teams.`;
  const edit = {
    id: newId('rev'),
    at: new Date(Date.now() - 3 * 3600 * 1000).toISOString(),
    changes: [{ field: 'description' as const, before: project.description, after }],
    merges: 0,
    base_version: project.version,
  };
  const next = { ...project, pending_revision: edit, version: project.version + 1 };
  await replaceProject(project, next, { cause: 'edited', actorId: project.owner_id }, []);
};

const addPromotions = async (projects: readonly ProjectRecord[]): Promise<void> => {
  const sold = [
    ['banner', 3, 'Try it today'],
    ['catalog', 11, null],
    ['detail', 19, 'Read more'],
  ] as const;
  for (const [placement, position, ctaText] of sold) {
    const project = projects[position];
    if (!project) continue;
    const { allocationVersions, current } = await readOccupancy();
    if (current.some(({ placements }) => placements.includes(placement))) continue;
    const startsAt = new Date(Date.now() - 5 * DAY_MS).toISOString();
    const promotion = {
      id: newId('prm'),
      project_id: project.id,
      user_id: project.owner_id,
      placements: [placement],
      status: 'active' as const,
      starts_at: startsAt,
      ends_at: new Date(Date.now() + 25 * DAY_MS).toISOString(),
      months: 1,
      cta_text: ctaText,
      price: 0,
      currency: 'usd',
      checkout_id: null,
      reason: null,
      created_at: startsAt,
      version: 1,
    };
    await insertPromotion(promotion, { [placement]: allocationVersions[placement] }, []);
  }
};

const SHARES = {
  countries: { US: 0.3, DE: 0.18, GB: 0.1, FR: 0.09, IN: 0.09, ES: 0.07, BR: 0.07, JP: 0.05, NL: 0.05 },
  browsers: { Chrome: 0.52, Firefox: 0.2, 'Mobile Safari': 0.16, Safari: 0.07, Edge: 0.05 },
  devices: { desktop: 0.63, mobile: 0.33, tablet: 0.04 },
  referrers: { 'www.google.com': 0.42, 'news.ycombinator.com': 0.22, 'duckduckgo.com': 0.2, 'github.com': 0.16 },
} as const;

/** A number split by shares; the first gets what rounding leaves. */
const split = (total: number, shares: Readonly<Record<string, number>>): Tally => {
  const [first, ...others] = Object.entries(shares);
  const rest = others.map(([name, share]) => [name, Math.floor(total * share)] as const);
  const remaining = total - rest.reduce((sum, [, count]) => sum + count, 0);
  return addTallies([[first?.[0] ?? '', remaining], ...rest]).filter(([, count]) => count > 0);
};

const tallies = (views: number) => ({
  countries: split(views, SHARES.countries),
  browsers: split(views, SHARES.browsers),
  devices: split(views, SHARES.devices),
  referrers: split(Math.round(views * 0.6), SHARES.referrers),
});

const QUERIES = ['editor', 'video', 'password manager', 'notes', 'free', 'maps', 'music player', 'weather', 'karaoke'];
/** The listings that the day's visitors looked at; a transaction has room for no more. */
const VIEWED_MAX = 30;
const DAYS = 30;

const queriesOf = (random: Random): QueryFigures[] =>
  QUERIES.map((q) => {
    const searches = 2 + Math.floor(random() * 14);
    // Nothing in the sample data is about these.
    const found = q !== 'weather' && q !== 'karaoke';
    const clicks = found ? Math.floor(searches * (0.3 + random() * 0.4)) : 0;
    return {
      q,
      searches,
      visitors: Math.ceil(searches * 0.8),
      no_results: found ? 0 : searches,
      clicks,
      positions: clicks * (1 + Math.floor(random() * 3)),
    };
  });

const addDay = async (projects: readonly ProjectRecord[], ago: number): Promise<void> => {
  const day = dayOf(new Date(Date.now() - ago * DAY_MS).toISOString());
  const random = randomOf(1000 + ago);
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
  const level = (weekday === 0 || weekday === 6 ? 0.6 : 1) * (1.5 - ago / (2 * DAYS));
  const viewed = projects
    .filter(({ published_at }) => published_at !== null && dayOf(published_at) <= day)
    .map((project) => ({ id: project.id, views: Math.floor(level * 14 * random() ** 2) }))
    .filter(({ views }) => views > 0)
    .slice(0, VIEWED_MAX);
  const figuresOf = ({ views }: { readonly views: number }): DayFigures => ({
    ...emptyDay(day),
    pageviews: views,
    project_views: views,
    visitors: Math.ceil(views * 0.8),
    outbound_clicks: Math.floor(views * 0.3),
    ...tallies(views),
  });
  const parts = viewed.map((one) => ({ ...one, figures: figuresOf(one) }));
  const projectViews = parts.reduce((sum, { views }) => sum + views, 0);
  const pageviews = projectViews * 2 + Math.floor(60 * level);
  const submitted = projects.filter(({ created_at }) => dayOf(created_at) === day).length;
  try {
    await applyStep({
      previous: undefined,
      next: {
        ...emptyDay(day),
        ...tallies(pageviews),
        projects: addTallies(viewed.map(({ id, views }) => [id, views] as const)),
        pageviews,
        visitors: Math.ceil(pageviews * 0.45),
        project_views: projectViews,
        outbound_clicks: parts.reduce((sum, { figures }) => sum + figures.outbound_clicks, 0),
        submission_started: submitted * 2 + 1,
        version: 1,
        closed: true,
      },
      portions: [],
      visitors: [],
      projects: parts,
      promotions: [],
      queries: queriesOf(random),
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  await insertFunnelDay({ day, submitted, paid: 0, approved: submitted });
};

/** Adds what visitors did to live sample listings. A repetition after an interruption adds nothing twice. */
export const addSampleActivity = async (projects: readonly ProjectRecord[]): Promise<void> => {
  await Promise.all(
    NAMES.map(async (name, index) => {
      const email = `${name.split(' ')[0]?.toLowerCase()}@example.com`;
      await findOrCreateUser({ sub: visitorId(index), email, emailVerified: true, name, issuedAt: null }, false);
    }),
  );
  const until = Date.now();
  // One after another: they count the comments of the same users.
  for (const [position, project] of projects.entries()) await addReactions(project, position, until);
  await addReports(projects);
  const [, edited] = projects;
  if (edited && edited.pending_revision === null) await addPendingEdit(edited);
  await addPromotions(projects);
  for (let ago = DAYS; ago >= 1; ago -= 1) await addDay(projects, ago);
};
