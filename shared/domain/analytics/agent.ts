import { BROWSER_MAP, parse } from 'bowser';

/** What is counted of a program that visits: no more than this is ever kept of a user agent. */
export interface Agent {
  readonly browser: string;
  /** `desktop`, `mobile`, `tablet` or `tv`. */
  readonly device: string;
}

/** What stands for something that is not known. */
export const UNKNOWN = 'Unknown';

/** Longer ones are no browser's. */
const USER_AGENT_MAX = 1000;

// The library reads a name out of any text; only names that it knows say nothing about the visitor.
const browsers: ReadonlySet<string> = new Set(Object.values(BROWSER_MAP));
const devices: ReadonlySet<string> = new Set(['desktop', 'mobile', 'tablet', 'tv']);

/** The browser and device behind a user agent. */
export const agentOf = (userAgent: string | undefined): Agent => {
  if (!userAgent?.trim() || userAgent.length > USER_AGENT_MAX) return { browser: UNKNOWN, device: UNKNOWN };
  const { browser, platform } = parse(userAgent);
  return {
    browser: browser.name !== undefined && browsers.has(browser.name) ? browser.name : UNKNOWN,
    device: platform.type !== undefined && devices.has(platform.type) ? platform.type : UNKNOWN,
  };
};
