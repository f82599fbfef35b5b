import { BROWSER_MAP, parse } from 'bowser';
import { isbot } from 'isbot';
import { fold } from '#catalog/folded-text.ts';
import type { TrackedEvent } from '#contract/analytics.ts';
import { countFunnelStep, insertTracked, visitorHash } from '#data/analytics.ts';
import { findPromotion } from '#data/promotions.ts';
import type { Message } from '#events/catalogue.ts';
import {
  type FunnelStep,
  type TrackedBatch,
  type TrackedLine,
  type TrackedSearch,
  UNKNOWN,
  type VisitorSignals,
} from '#model/analytics.ts';
import { firstCharacters } from '#model/characters.ts';
import { dayOf, hourOf } from '#model/days.ts';
import { isRunning, type PromotionCounter } from '#model/promotion.ts';
import { REMOVED } from '#model/searches.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { invalidField, notFound } from '#shared/errors.ts';

/**
 * When and by whom the events of a request were sent.
 * @param deduplicatesOnly the visitor is not counted, also without having opted out. A separate hash, so that it cannot
 * be linked to that of a counted visitor.
 */
const senderOf = async (
  { network = '', userAgent = '', optsOut }: VisitorSignals,
  deduplicatesOnly = false,
): Promise<Pick<TrackedBatch, 'id' | 'day' | 'hour' | 'visitor' | 'counted' | 'done'>> => {
  const at = now();
  const day = dayOf(at);
  const counted = !optsOut && !deduplicatesOnly;
  const signals = counted ? [network, userAgent] : [network, userAgent, 'not counted'];
  return { id: newId('trk'), day, hour: hourOf(at), visitor: await visitorHash(day, signals), counted, done: 0 };
};

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

/** The longest query that is stored, in characters. */
const QUERY_MAX = 60;

/** Mail addresses, other addresses, and numbers such as those of telephones and cards. */
const MAY_IDENTIFY = /@|:\/\/|\p{Nd}(?:[\s\p{Pd}]*\p{Nd}){6}/u;

/** A query as it is stored and compared. */
const storedQuery = (q: string): string => {
  const folded = fold(q).replace(/\s+/g, ' ').trim();
  if (MAY_IDENTIFY.test(folded)) return REMOVED;
  return firstCharacters(folded, QUERY_MAX).trim();
};

/** What is stored of a search or of a click on a result; undefined for other events. */
const searchOf = ({ type, q = '', results = 0, position = 0 }: TrackedEvent): TrackedSearch | undefined => {
  if (type === 'search') return { q: storedQuery(q), value: Math.min(results, 1) };
  return type === 'search_click' ? { q: storedQuery(q), value: position } : undefined;
};

/** Events with equal ones combined. */
const linesOf = (events: readonly TrackedEvent[], site: string | undefined): TrackedLine[] => {
  const lines = new Map<string, TrackedLine>();
  for (const event of events) {
    const { type, project_id, referrer } = event;
    const search = searchOf(event);
    // A click on a result counts for its query, not for the project.
    const line = search
      ? { type, project: null, referrer: null, search }
      : { type, project: project_id ?? null, referrer: referrerHostOf(referrer, site) };
    const key = JSON.stringify(Object.values(line));
    lines.set(key, { ...line, count: (lines.get(key)?.count ?? 0) + 1 });
  }
  return [...lines.values()];
};

/**
 * Stores the events of a request as one item.
 * @returns the number of events; 0 for bots, whose events are dropped.
 * @throws 400 for searches while search is switched off.
 */
export const trackEvents = async (events: readonly TrackedEvent[], signals: VisitorSignals): Promise<number> => {
  if (!environment().features.search && events.some((event) => searchOf(event)))
    throw invalidField(['type'], 'must be another kind of event: search is switched off');
  if (isbot(signals.userAgent)) return 0;
  const { userAgent, country = '' } = signals;
  await insertTracked({
    ...(await senderOf(signals)),
    country: /^[A-Z]{2}$/.test(country) ? country : UNKNOWN,
    ...agentOf(userAgent),
    lines: linesOf(events, signals.site),
  });
  return events.length;
};

export type StepEvent = Message<'projectSubmitted' | 'paymentSettled' | 'projectApproved'>;

const stepOf = (event: StepEvent): FunnelStep | undefined => {
  if (event.kind === 'projectSubmitted') return 'submitted';
  if (event.kind === 'projectApproved') return 'approved';
  // Promotions are bought for projects that have been approved before.
  return event.data.purpose === 'promotion' ? undefined : 'paid';
};

/** Counts a submission, its payment or its approval on the day of the event. */
export const countStep = async (event: StepEvent): Promise<void> => {
  const step = stepOf(event);
  if (!step) return;
  const { id: eventId, occurred_at, data } = event;
  await countFunnelStep({ eventId, day: dayOf(occurred_at), step, projectId: data.project_id });
};

/**
 * Stores an impression or click of a promotion. The roll-up adds it to the counters, once per visitor and hour.
 * @returns false for known bots, which are not counted.
 * @throws 404 when the promotion is not shown now.
 */
export const countForPromotion = async (
  promotionId: string,
  counter: PromotionCounter,
  signals: VisitorSignals,
): Promise<boolean> => {
  const promotion = await findPromotion(promotionId);
  if (!promotion || !isRunning(promotion, now())) throw notFound();
  await getOpenProject(promotion.project_id);
  if (isbot(signals.userAgent)) return false;
  await insertTracked({
    // A promotion can be shown on other sites, whose visitors are not counted.
    ...(await senderOf(signals, true)),
    country: UNKNOWN,
    browser: UNKNOWN,
    device: UNKNOWN,
    lines: [{ type: counter, project: promotion.id, referrer: null, count: 1 }],
  });
  return true;
};
