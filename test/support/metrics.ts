import { vi } from 'vitest';
import type { MetricName } from '#platform/metrics.ts';

/** Captures the metrics that the current test writes to standard output. @returns how often a metric was written. */
export const captureMetrics = (): ((name: MetricName) => number) => {
  let written = '';
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Directory/test');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  return (name) =>
    written.split('\n').filter((line) => line.startsWith('{"_aws"') && line.includes(`"Name":"${name}"`)).length;
};
