import { beforeEach, expect, it, vi } from 'vitest';
import { features } from '#contract/route.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';

const withFeature = (subscriptions as readonly Subscription[]).filter(({ feature }) => feature);

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('LOG_LEVEL', 'CRITICAL');
  // Nothing listens there, so that any AWS call fails.
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
  for (const feature of features) vi.stubEnv(`FEATURE_${feature.toUpperCase()}`, 'off');
});

it.each(withFeature)('$id ignores every delivery while its feature is off', async ({ id, kinds }) => {
  const handler = await importHandler(id);
  for (const kind of kinds) {
    const delivery = { 'detail-type': kind, detail: { id: 'evt_x', kind, data: 'invalid' } };
    await expect(handler(delivery, lambdaContext(id, 'request', 30))).resolves.toBeUndefined();
  }
});
