import type { Letter, Letterhead } from './layout.ts';
import { greetingTo, projectUrl, reasonFor } from './phrases.ts';

/** What a week has brought. */
export interface WeeklyDigest {
  /** The week in the calendar of ISO 8601, such as `2026-W47`: a week is told of once. */
  readonly week: string;
  /** How many listings went live. */
  readonly newCount: number;
  /** Some of them, the best first. */
  readonly projects: readonly { readonly name: string; readonly slug: string; readonly description: string }[];
  /** The reader's own listings with the views and clicks of the week and the upvotes that they have now. */
  readonly own?: readonly OwnNumbers[];
}

/** How one of the reader's own listings did. */
export interface OwnNumbers {
  readonly name: string;
  readonly slug: string;
  readonly views: number;
  readonly clicks: number;
  readonly upvotes: number;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const numbersOf = ({ views, clicks, upvotes }: OwnNumbers): string =>
  `Yours: ${counted(views, 'view', 'views')} and ${counted(clicks, 'click', 'clicks')} this week, ${counted(upvotes, 'upvote', 'upvotes')} in all.`;

const openingOf = ({ newCount, projects, own = [] }: WeeklyDigest): string => {
  const and = own.length > 0 ? ' Your own listings come first.' : '';
  if (projects.length === 0) return 'No new listings went live this week. This is how your own did:';
  if (newCount > projects.length) return `${newCount} listings went live this week.${and} These are some of them:`;
  return own.length > 0 ? `${newCount} new this week.${and}` : 'These listings went live this week:';
};

/** The letter about a week. */
export const digestLetter = (digest: WeeklyDigest, recipient: string | null, head: Letterhead): Letter => ({
  subject:
    digest.newCount > 0
      ? `${digest.newCount} new on ${head.siteName} this week`
      : `Your listings on ${head.siteName} this week`,
  greeting: greetingTo(recipient),
  paragraphs: [openingOf(digest)],
  list: [
    ...(digest.own ?? []).map((own) => ({ name: own.name, url: projectUrl(head, own.slug), note: numbersOf(own) })),
    ...digest.projects.map(({ name, slug, description }) => ({ name, url: projectUrl(head, slug), note: description })),
  ],
  link: { label: 'See all', url: head.siteUrl },
  reason: reasonFor('You get this once a week because you have an account.'),
});
