import { expect, it } from 'vitest';
import type { Feature } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';

/** Routes and subscriptions declare the feature that their path or permission implies. */

const byPath: readonly (readonly [path: RegExp, feature: Feature])[] = [
  [/\/comments(?:\/|$)/, 'comments'],
  [/\/ratings(?:\/|$)/, 'ratings'],
  [/^\/api\/.*\/map$/, 'map'],
  [/^\/api\/ai\//, 'ai'],
  [/^\/api\/(?:admin\/)?analytics(?:\/|$)/, 'analytics'],
  [/^\/api\/(?:admin\/)?promotions(?:\/|$)/, 'promotions'],
  [/^\/api\/admin\/webhooks(?:\/|$)/, 'webhooks'],
];

it('routes declare the feature that their path implies', () => {
  for (const { id, path, feature } of routes) {
    const implied = byPath.find(([pattern]) => pattern.test(path))?.[1];
    if (implied !== undefined) expect([id, feature]).toEqual([id, implied]);
  }
});

it('subscriptions that send mail declare the feature email', () => {
  for (const { id, permissions, feature } of subscriptions as readonly Subscription[]) {
    if (permissions.includes('mail')) expect([id, feature]).toEqual([id, 'email']);
  }
});
