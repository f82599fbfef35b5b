import { read } from '#contract/health.ts';
import { askTable } from '#data/health.ts';
import { deepChecks } from '#domain/health/deep-check.ts';
import { handle, ok } from '#http/handle.ts';
import { askBus } from '#platform/bus-health.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { settings } from '#platform/settings.ts';
import { version } from '#platform/version.ts';
import { unhealthy } from '#shared/errors.ts';

const checkDeeply = deepChecks({
  now,
  ask: { table: askTable, bus: askBus },
  report: (part, state, cause) => log.error('a part is not well', { part, state, error: cause as Error }),
});

export const handler = handle(read, { settings, checkDeeply }, async ({ query }, ports) => {
  const alive = { status: 'ok' as const, version, stage: ports.settings().stage };
  if (query.deep !== '1') return ok({ data: alive });
  const { parts, checkedAt, isHealthy } = await ports.checkDeeply();
  if (!isHealthy) throw unhealthy(parts, checkedAt);
  return ok({ data: { ...alive, parts, checked_at: checkedAt } });
});
