import type { WebhookMessage } from '#model/webhook.ts';

/** The format that a receiver expects. */
type Format = 'standard' | 'discord' | 'slack';

const DISCORD_HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const SLACK_HOST = /^hooks\.slack(?:-gov)?\.com$/;

const formatFor = (url: string): Format => {
  const host = URL.parse(url)?.hostname ?? '';
  if (DISCORD_HOST.test(host)) return 'discord';
  return SLACK_HOST.test(host) ? 'slack' : 'standard';
};

// Chats have many readers, so chat messages contain no personal data and no user content except the public name and
// address of a listing.
const summaries: Readonly<Record<WebhookMessage['kind'], string>> = {
  projectSubmitted: 'Waits for review',
  projectApproved: 'Approved',
  projectRejected: 'Not accepted',
  projectUpdated: 'Changed',
  revisionSubmitted: 'An edit waits for review',
  revisionApproved: 'Edit approved',
  revisionRejected: 'Edit not accepted',
  projectDeleted: 'Deleted',
  commentCreated: 'New comment',
  promotionActivated: 'Promotion activated',
  promotionExpired: 'Promotion ended',
  promotionRevoked: 'Promotion revoked',
  paymentSettled: 'Payment received',
  paymentRefunded: 'Payment refunded',
  userBanned: 'User banned',
  keyCreated: 'API key created',
  keyRevoked: 'API key revoked',
  batchReverted: 'Batch reverted',
  ruleApplied: 'Decided by a rule',
  webhookDisabled: 'Webhook switched off',
  ping: 'Test message',
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** One line: the site, what happened, and the name and address of the listing if there is one. */
const chatLine = (
  { kind, data }: WebhookMessage,
  siteName: string,
  escapeText: (value: string) => string,
  link: (url: string) => string,
): string => {
  const name = textOf(data.name);
  // The normalized form has no spaces and no brackets that could end the link.
  const url = URL.parse(textOf(data.url) ?? '')?.href;
  const listing = [...(name === undefined ? [] : [escapeText(name)]), ...(url === undefined ? [] : [link(url)])];
  return `${escapeText(siteName)} · ${summaries[kind]}${listing.length > 0 ? `: ${listing.join(' ')}` : ''}`;
};

/** Escapes Discord's formatting, mentions and masked links. */
const escapeForDiscord = (value: string): string => value.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&');

const discordPayload = (message: WebhookMessage, siteName: string): string =>
  JSON.stringify({
    content: chatLine(message, siteName, escapeForDiscord, (url) => `<${url}>`),
    allowed_mentions: { parse: [] },
  });

/** Escapes the three control characters of Slack, without which there are no links, mentions or commands. */
const escapeForSlack = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slackPayload = (message: WebhookMessage, siteName: string): string =>
  JSON.stringify({ text: chatLine(message, siteName, escapeForSlack, escapeForSlack), unfurl_links: false });

const standardPayload = (message: WebhookMessage): string =>
  JSON.stringify({
    type: message.kind,
    timestamp: message.occurred_at,
    id: message.id,
    actor_id: message.actor_id,
    data: message.data,
  });

/** The body of a message in the format of the receiver. Deterministic, so every attempt sends the same bytes. */
export const payloadFor = (url: string, message: WebhookMessage, siteName: string): string => {
  switch (formatFor(url)) {
    case 'discord':
      return discordPayload(message, siteName);
    case 'slack':
      return slackPayload(message, siteName);
    case 'standard':
      return standardPayload(message);
  }
};
