import type { TrackedEvent, TrackedType } from '#contract/analytics.ts';
import { agentOf, UNKNOWN } from './agent.ts';
import { dayOf } from './days.ts';

/** Events of one request that are the same in all that is kept of them. */
export interface TrackedLine {
  readonly type: TrackedType;
  /** An id or slug, as it was sent. */
  readonly project: string | null;
  /** A host. */
  readonly referrer: string | null;
  readonly count: number;
}

/** What is kept of one request until it is rolled up: nothing that says who it was. */
export interface TrackedBatch {
  /** `trk_` and a ULID. */
  readonly id: string;
  readonly day: string;
  /** Who it was, under the salt of the day; null where it is not to be known. */
  readonly visitor: string | null;
  readonly country: string;
  readonly browser: string;
  readonly device: string;
  readonly lines: readonly TrackedLine[];
  /** How many of the lines have been rolled up already. */
  readonly done: number;
}

/** What a request tells about its sender; never to be kept as it is. */
export interface VisitorSigns {
  /** An IPv4 address or the network of an IPv6 address. */
  readonly network: string | undefined;
  readonly userAgent: string | undefined;
  /** Two letters from the edge. */
  readonly country: string | undefined;
  /** The host of the page that sent the request. */
  readonly site: string | undefined;
  /** `Sec-GPC` or `DNT`. */
  readonly asksNotToBeTracked: boolean;
}

/** What tracking takes. */
export interface TrackPorts {
  readonly now: () => string;
  readonly newId: (kind: 'trk') => string;
  readonly isBot: (userAgent: string | undefined) => boolean;
  /** Makes signs unreadable: the same on one day, unrelated on any other. */
  readonly visitorOf: (day: string, signs: readonly string[]) => Promise<string>;
  readonly insertTracked: (batch: TrackedBatch) => Promise<void>;
}

/** The host that a visitor came from; null without one, and for the site itself. */
export const referrerHostOf = (referrer: string | undefined, site: string | undefined): string | null => {
  const url = URL.parse(referrer ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return host === '' || host.length > 253 || host === site?.toLowerCase().replace(/^www\./, '') ? null : host;
};

const linesOf = (events: readonly TrackedEvent[], site: string | undefined): TrackedLine[] => {
  const lines = new Map<string, TrackedLine>();
  for (const { type, project_id, referrer } of events) {
    const line = { type, project: project_id ?? null, referrer: referrerHostOf(referrer, site) };
    const same = JSON.stringify(Object.values(line));
    lines.set(same, { ...line, count: (lines.get(same)?.count ?? 0) + 1 });
  }
  return [...lines.values()];
};

/** Takes what a visitor did, as one item whatever the number of events. @returns how many were taken; of bots none. */
export const trackEvents = async (
  ports: TrackPorts,
  events: readonly TrackedEvent[],
  signs: VisitorSigns,
): Promise<number> => {
  if (ports.isBot(signs.userAgent)) return 0;
  const day = dayOf(ports.now());
  const { network, userAgent, country = '' } = signs;
  const isAnonymous = signs.asksNotToBeTracked || network === undefined;
  await ports.insertTracked({
    id: ports.newId('trk'),
    day,
    visitor: isAnonymous ? null : await ports.visitorOf(day, [network, userAgent ?? '']),
    country: /^[A-Z]{2}$/.test(country) ? country : UNKNOWN,
    ...agentOf(userAgent),
    lines: linesOf(events, signs.site),
    done: 0,
  });
  return events.length;
};
