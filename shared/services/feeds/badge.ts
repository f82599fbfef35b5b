import { makeBadge } from 'badge-maker';
import type { BadgeKind, BadgeTheme } from '#contract/feeds.ts';
import { cachedSettings } from '#data/settings.ts';
import { abbreviated } from '#model/characters.ts';
import { averageRating, type ProjectCounts } from '#model/project.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { notFound } from '#shared/errors.ts';

const EXTENSION = '.svg';

/** White text on `color`, and on `labelColor` the text that the package chooses, have the contrast of WCAG AA. */
const themes: Readonly<Record<BadgeTheme, { readonly labelColor: string; readonly color: string }>> = {
  light: { labelColor: '#e5e7eb', color: '#1d4ed8' },
  dark: { labelColor: '#1f2937', color: '#1d4ed8' },
};

/** The longest text in a badge, in characters: its image repeats each text four times. */
const NAME_MAX = 40;

const count = (amount: number, one: string): string => `${amount} ${one}${amount === 1 ? '' : 's'}`;

const messages: Readonly<Record<BadgeKind, (counts: ProjectCounts) => string | undefined>> = {
  listed: () => undefined,
  upvotes: ({ upvote_count: upvotes }) => count(upvotes, 'upvote'),
  rating: (counts) =>
    counts.ratings_count === 0
      ? 'no ratings'
      : `${averageRating(counts).toFixed(1)} of 5 (${count(counts.ratings_count, 'rating')})`,
};

/** The live listing whose badge is in a file. @throws 404 */
export const listingOfBadge = async (file: string) => {
  if (!file.endsWith(EXTENSION)) throw notFound();
  return await getOpenProject(file.slice(0, -EXTENSION.length));
};

/** Images are shown by pages of any origin; opened alone, they load nothing. */
const headers = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

/** The badge of a live listing. @throws 404 */
export const readBadge = async (file: string, { kind, theme }: { kind: BadgeKind; theme: BadgeTheme }) => {
  const { counts } = await listingOfBadge(file);
  const name = abbreviated((await cachedSettings()).site.name, NAME_MAX);
  const message = messages[kind](counts);
  const texts = message === undefined ? { label: 'Listed on', message: name } : { label: name, message };
  return { text: makeBadge({ ...texts, ...themes[theme], style: 'flat' }), headers };
};
