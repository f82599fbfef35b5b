import { read } from '#contract/health.ts';
import { handle, ok } from '#http/handle.ts';
import { settings } from '#platform/settings.ts';
import { checkDeeply } from '#services/health/deep-check.ts';
import { unhealthy } from '#shared/errors.ts';
import manifest from '../../package.json' with { type: 'json' };

export const handler = handle(read, async ({ query }) => {
  const alive = { status: 'ok' as const, version: manifest.version, stage: settings().stage };
  if (query.deep !== '1') return ok({ data: alive });
  const { parts, checkedAt, isHealthy } = await checkDeeply();
  if (!isHealthy) throw unhealthy(parts, checkedAt);
  return ok({ data: { ...alive, parts, checked_at: checkedAt } });
});
