import { abbreviated } from '#model/characters.ts';
import type { WebhookMessage } from '#model/webhook.ts';

/** How a chat writes a line of text, and what it takes. */
interface Chat {
  /** The hosts of its webhooks. */
  readonly host: RegExp;
  /** The longest text, in UTF-16 code units: no chat counts more for a character. */
  readonly lengthMax: number;
  /** A text in which nothing is a link, a mention or a command. */
  readonly escaped: (text: string) => string;
  /** A link that the chat shows as its address. */
  readonly link: (url: string) => string;
  readonly body: (line: string) => Readonly<Record<string, unknown>>;
}

const discord: Chat = {
  host: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
  // It rejects longer ones.
  lengthMax: 2000,
  escaped: (text) => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&'),
  link: (url) => `<${url}>`,
  body: (content) => ({ content, allowed_mentions: { parse: [] } }),
};

/** Without its three control characters there are no links, mentions or commands. */
const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const slack: Chat = {
  host: /^hooks\.slack(?:-gov)?\.com$/,
  // It splits longer ones, inside of links too.
  lengthMax: 4000,
  escaped: escapedForSlack,
  link: escapedForSlack,
  body: (text) => ({ text, unfurl_links: false }),
};

const chatAt = (url: string): Chat | undefined => {
  const hostname = URL.parse(url)?.hostname ?? '';
  return [discord, slack].find(({ host }) => host.test(hostname));
};

/** In words by default: `webhookDisabled` is `Webhook disabled`. */
const summaries: Readonly<Partial<Record<WebhookMessage['kind'], string>>> = {
  projectSubmitted: 'Waits for review',
  projectApproved: 'Approved',
  projectScheduled: 'Approved for later',
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

const inWords = (kind: string): string => {
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Undefined for an empty text too, which is what an erased user leaves. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The longest name of the site or of a listing in a line, in characters: with both escaped, a line keeps room for a host. */
const NAME_MAX = 100;

/**
 * One line: the site, what happened, and the name and address of the listing if there is one. In place of an address for which
 * there is no room is its host, because a part of an address leads elsewhere.
 */
const lineFor = ({ kind, data }: WebhookMessage, siteName: string, { escaped, link, lengthMax }: Chat): string => {
  const start = `${escaped(abbreviated(siteName, NAME_MAX))} · ${summaries[kind] ?? inWords(kind)}`;
  const name = textOf(data.name);
  const named = name === undefined ? [] : [escaped(abbreviated(name, NAME_MAX))];
  const lineWith = (...address: readonly string[]): string =>
    [`${start}${named.length + address.length > 0 ? ':' : ''}`, ...named, ...address].join(' ');
  const url = URL.parse(textOf(data.url) ?? '');
  if (url === null) return lineWith();
  // The normalized form has no spaces and no brackets that could end the link.
  const line = lineWith(link(url.href));
  return line.length <= lengthMax ? line : lineWith(escaped(`${url.host}/…`));
};

// Chats have many readers, so their messages contain no personal data and no user content except the public name and address
// of a listing.
const chatPayload = (message: WebhookMessage, siteName: string, chat: Chat): string =>
  JSON.stringify(chat.body(lineFor(message, siteName, chat)));

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
  const chat = chatAt(url);
  return chat ? chatPayload(message, siteName, chat) : standardPayload(message);
};
