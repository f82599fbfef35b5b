import { BROWSER_MAP, parse } from 'bowser';
import type { TrackedEvent } from '#contract/analytics.ts';
import { insertTracked } from '#data/tracked-events.ts';
import { type TrackedBatch, type TrackedLine, UNKNOWN, type VisitorSignals } from '#model/analytics.ts';
import { isBot } from '#platform/bots.ts';
import { senderOf } from './sender.ts';

/** Longest user agent that is parsed, in characters. */
const USER_AGENT_MAX = 1000;

// The parser extracts a name from any text; a name that is not in its list could identify the visitor.
const browsers: ReadonlySet<string> = new Set(Object.values(BROWSER_MAP));
const devices: ReadonlySet<string> = new Set(['desktop', 'mobile', 'tablet', 'tv']);

/** The browser and the kind of device of a user agent; nothing else of it is stored. */
export const agentOf = (userAgent: string | undefined): Pick<TrackedBatch, 'browser' | 'device'> => {
  if (!userAgent?.trim() || userAgent.length > USER_AGENT_MAX) return { browser: UNKNOWN, device: UNKNOWN };
  const { browser, platform } = parse(userAgent);
  return {
    browser: browser.name !== undefined && browsers.has(browser.name) ? browser.name : UNKNOWN,
    device: platform.type !== undefined && devices.has(platform.type) ? platform.type : UNKNOWN,
  };
};

/** The host of a referrer; null without one and for the site itself. */
export const referrerHostOf = (referrer: string | undefined, site: string | undefined): string | null => {
  const url = URL.parse(referrer ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return host === '' || host.length > 253 || host === site?.toLowerCase().replace(/^www\./, '') ? null : host;
};

/** Events with equal ones combined. */
const linesOf = (events: readonly TrackedEvent[], site: string | undefined): TrackedLine[] => {
  const lines = new Map<string, TrackedLine>();
  for (const { type, project_id, referrer } of events) {
    const line = { type, project: project_id ?? null, referrer: referrerHostOf(referrer, site) };
    const key = JSON.stringify(Object.values(line));
    lines.set(key, { ...line, count: (lines.get(key)?.count ?? 0) + 1 });
  }
  return [...lines.values()];
};

/** Stores the events of a request as one item. @returns the number of events; 0 for bots, whose events are dropped. */
export const trackEvents = async (events: readonly TrackedEvent[], signals: VisitorSignals): Promise<number> => {
  if (isBot(signals.userAgent)) return 0;
  const { userAgent, country = '' } = signals;
  await insertTracked({
    ...(await senderOf(signals)),
    country: /^[A-Z]{2}$/.test(country) ? country : UNKNOWN,
    ...agentOf(userAgent),
    lines: linesOf(events, signals.site),
  });
  return events.length;
};
