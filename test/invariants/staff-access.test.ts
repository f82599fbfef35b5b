import { expect, it } from 'vitest';
import type { Scope } from '#contract/route.ts';
import { routes } from '#contract/table.ts';

/** Who may use the routes of administrators besides them: API keys by scope, and moderators. */

const staffRoutes = routes.filter(({ auth }) => auth === 'admin');

it('every route of administrators states its scopes and whether moderators may use it', () => {
  for (const route of staffRoutes) {
    const missing = (['scopes', 'moderators'] as const).filter((name) => route[name] === undefined);
    expect(
      missing,
      `${route.id}: add \`scopes\` (those that cover it; [] if no API key may use it) and \`moderators\` (true or false) ` +
        'to its defineRoute. The service decides what moderators and keys may do on it: see the end of shared/model/policy.ts.',
    ).toEqual([]);
  }
});

/** The scopes by resource, where all routes of it have the same. */
const byPath: readonly (readonly [path: RegExp, ...scopes: readonly Scope[]])[] = [
  [/^\/api\/admin\/(?:users|layout|theme|map|payments|promotions|rules|jobs|keys|audit|dead-letters)(?:\/|$)/],
  [/^\/api\/admin\/categories(?:\/|$)/, 'categories:write'],
  [/^\/api\/admin\/(?:imports|batches|projects\/import)(?:\/|$)/, 'imports:write'],
  [/^\/api\/admin\/analytics(?:\/|$)/, 'analytics:read'],
  [/^\/api\/admin\/webhooks(?:\/|$)/, 'webhooks:write'],
  [/^\/api\/admin\/events(?:\/|$)/, 'events:read'],
  [/^\/api\/admin\/(?:reports|comments)(?:\/|$)/, 'moderation'],
];

it('the scopes of a route are those of its resource', () => {
  for (const { id, path, scopes } of staffRoutes) {
    const rule = byPath.find(([pattern]) => pattern.test(path));
    if (rule) expect([id, scopes]).toEqual([id, rule.slice(1)]);
  }
});

it('moderators use routes of moderation only, and nothing that deletes or imports', () => {
  const resources = /^\/api\/admin\/(?:summary|projects|revisions|reports|comments|replies|vote-cases)(?:\/|$)/;
  for (const { id, path, method, moderators } of staffRoutes.filter((route) => route.moderators)) {
    expect([id, moderators, resources.test(path), method === 'DELETE']).toEqual([id, true, true, false]);
  }
});

it('few other routes are open to API keys', () => {
  const others = routes.filter(({ auth, scopes = [] }) => auth !== 'admin' && scopes.length > 0);
  expect(others.map(({ id }) => id).sort()).toEqual([
    'analytics.projectReport',
    'apiKeys.current',
    'mcp.call',
    'projects.submit',
    'revisions.list',
  ]);
});
