import type { Told } from './delivery.ts';

/** The directory as messages to people name it. */
export interface Site {
  readonly siteName: string;
  /** Without a slash at the end. */
  readonly siteUrl: string;
}

/** What the other side understands. */
export type Dialect = 'standard' | 'discord' | 'slack';

const DISCORD_HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const SLACK_HOST = /^hooks\.slack(?:-gov)?\.com$/;

/** Which body an address wants, by its host. */
const dialectOf = (url: string): Dialect => {
  const host = URL.parse(url)?.hostname ?? '';
  if (DISCORD_HOST.test(host)) return 'discord';
  return SLACK_HOST.test(host) ? 'slack' : 'standard';
};

// Chats are read by many: what people wrote and who they are stays out, names and addresses of listings are public.
const sentences: Readonly<Record<Told['kind'], string>> = {
  projectSubmitted: 'Waits for review',
  projectApproved: 'Approved',
  projectRejected: 'Not accepted',
  projectUpdated: 'Changed',
  projectDeleted: 'Deleted',
  commentCreated: 'A new comment',
  promotionActivated: 'A promotion was activated',
  promotionExpired: 'A promotion has ended',
  promotionRevoked: 'A promotion was ended before its time',
  paymentSettled: 'A payment came in',
  paymentRefunded: 'A payment was given back',
  userBanned: 'A user was banned',
  webhookDisabled: 'A webhook was switched off',
  ping: 'A test: messages arrive here',
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** One line: what happened, and the name and the address of the listing that it is about, if there is one. */
const noticeOf = (
  { kind, data }: Told,
  site: Site,
  plain: (value: string) => string,
  link: (url: string) => string,
) => {
  const name = textOf(data.name);
  // Written anew, the address has no spaces and no brackets that could end the link.
  const url = URL.parse(textOf(data.url) ?? '')?.href;
  const about = [...(name === undefined ? [] : [plain(name)]), ...(url === undefined ? [] : [link(url)])];
  return `${plain(site.siteName)} · ${sentences[kind]}${about.length > 0 ? `: ${about.join(' ')}` : ''}`;
};

/** Takes away what Discord would read as formatting, a mention or a link with other words. */
const plainForDiscord = (value: string): string => value.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&');

const discordBody = (told: Told, site: Site): string =>
  JSON.stringify({
    content: noticeOf(told, site, plainForDiscord, (url) => `<${url}>`),
    allowed_mentions: { parse: [] },
  });

/** Slack's own escaping: without these three nothing is a link, a mention or a command. */
const plainForSlack = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slackBody = (told: Told, site: Site): string =>
  JSON.stringify({ text: noticeOf(told, site, plainForSlack, plainForSlack), unfurl_links: false });

const standardBody = (told: Told): string =>
  JSON.stringify({
    type: told.kind,
    timestamp: told.occurred_at,
    id: told.id,
    actor_id: told.actor_id,
    data: told.data,
  });

/** The body of a message, in the form that its address wants. The same event makes the same bytes in every attempt. */
export const bodyFor = (url: string, told: Told, site: Site): string => {
  switch (dialectOf(url)) {
    case 'discord':
      return discordBody(told, site);
    case 'slack':
      return slackBody(told, site);
    case 'standard':
      return standardBody(told);
  }
};
