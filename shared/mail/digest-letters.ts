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
}

/** The letter about a week. */
export const digestLetter = (digest: WeeklyDigest, recipient: string | null, head: Letterhead): Letter => ({
  subject: `${digest.newCount} new on ${head.siteName} this week`,
  greeting: greetingTo(recipient),
  paragraphs: [
    digest.newCount > digest.projects.length
      ? `${digest.newCount} listings went live this week. These are some of them:`
      : 'These listings went live this week:',
  ],
  list: digest.projects.map(({ name, slug, description }) => ({
    name,
    url: projectUrl(head, slug),
    note: description,
  })),
  link: { label: 'See all', url: head.siteUrl },
  reason: reasonFor('You get this once a week because you have an account.'),
});
