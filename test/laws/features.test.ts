import { expect, it } from 'vitest';
import type { Feature } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';

/** What belongs to a feature goes with it: told by its path or its name, so that nobody has to remember to say so. */

const byPath: readonly (readonly [path: RegExp, feature: Feature])[] = [
  [/\/comments(?:\/|$)/, 'comments'],
  [/\/ratings(?:\/|$)/, 'ratings'],
  [/\/map$/, 'map'],
  [/^\/api\/ai\//, 'ai'],
  [/^\/api\/(?:admin\/)?analytics(?:\/|$)/, 'analytics'],
  [/^\/api\/(?:admin\/)?promotions(?:\/|$)/, 'promotions'],
  [/^\/api\/admin\/webhooks(?:\/|$)/, 'webhooks'],
];

it('routes belong to the feature that their path names', () => {
  for (const { id, path, feature } of routes) {
    const named = byPath.find(([pattern]) => pattern.test(path))?.[1];
    if (named !== undefined) expect([id, feature]).toEqual([id, named]);
  }
});

it('subscribers that write mails are told only while mail is on', () => {
  for (const { id, needs, feature } of subscriptions as readonly Subscription[]) {
    if (needs.includes('mail')) expect([id, feature]).toEqual([id, 'email']);
  }
});
