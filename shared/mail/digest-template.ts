import { greetingTo, projectUrl, withOptOut } from './format.ts';
import type { Branding, EmailContent } from './render.ts';

/** The statistics of one of the recipient's own listings. */
export interface ListingStatistics {
  readonly name: string;
  readonly slug: string;
  /** In the week. */
  readonly views: number;
  /** In the week. */
  readonly clicks: number;
  /** In total. */
  readonly upvotes: number;
}

/** The content of a weekly digest. */
export interface WeeklyDigest {
  /** ISO 8601 week, such as `2026-W47`. */
  readonly week: string;
  /** How many listings were published in the week. */
  readonly newCount: number;
  /** The most upvoted of them. */
  readonly projects: readonly { readonly name: string; readonly slug: string; readonly description: string }[];
  /** The recipient's own listings. */
  readonly own?: readonly ListingStatistics[];
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const statisticsNote = ({ views, clicks, upvotes }: ListingStatistics): string =>
  `Yours: ${counted(views, 'view', 'views')} and ${counted(clicks, 'click', 'clicks')} this week, ${counted(upvotes, 'upvote', 'upvotes')} in all.`;

const introductionOf = ({ newCount, projects, own = [] }: WeeklyDigest): string => {
  const ownFirst = own.length > 0 ? ' Your own listings come first.' : '';
  if (projects.length === 0) return 'No new listings were published this week. These are the statistics of your own:';
  if (newCount > projects.length) return `${newCount} listings were published this week.${ownFirst} Some of them:`;
  return own.length > 0 ? `${newCount} new this week.${ownFirst}` : 'These listings were published this week:';
};

/** The listings of a week, the recipient's own first. */
export const digestEmail = (digest: WeeklyDigest, recipientName: string | null, branding: Branding): EmailContent => ({
  subject:
    digest.newCount > 0
      ? `${digest.newCount} new on ${branding.siteName} this week`
      : `Your listings on ${branding.siteName} this week`,
  greeting: greetingTo(recipientName),
  paragraphs: [introductionOf(digest)],
  list: [
    ...(digest.own ?? []).map((own) => ({
      name: own.name,
      url: projectUrl(branding, own.slug),
      note: statisticsNote(own),
    })),
    ...digest.projects.map(({ name, slug, description }) => ({
      name,
      url: projectUrl(branding, slug),
      note: description,
    })),
  ],
  link: { label: 'See all', url: branding.siteUrl },
  reason: withOptOut('You get this email once a week because you have an account.'),
});
