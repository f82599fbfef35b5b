import { beforeEach, expect, it, vi } from 'vitest';
import { features } from '#contract/route.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';
import { importDoor } from '#local/doors.ts';
import { lambdaContext } from '#local/lambda-context.ts';

/** Who is told of events only while a feature is on does nothing while it is off. */

const gated = (subscriptions as readonly Subscription[]).filter(({ feature }) => feature);

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('LOG_LEVEL', 'CRITICAL');
  // Nobody listens there: whoever does anything at all fails.
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
  for (const feature of features) vi.stubEnv(`FEATURE_${feature.toUpperCase()}`, 'off');
});

it.each(gated)('$id skips while its feature is off, whatever arrives', async ({ id, kinds }) => {
  const handler = await importDoor(id);
  for (const kind of kinds) {
    const delivery = { 'detail-type': kind, detail: { id: 'evt_x', kind, data: 'not even a message' } };
    await expect(handler(delivery, lambdaContext(id, 'request', 30))).resolves.toBeUndefined();
  }
});
