import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { topicByMetric } from '#lib/dashboard/counted.ts';
import { constructIdOf, handlerFiles } from '#lib/handlers.ts';
import { everything, ofType, synthesize } from './synthesized.ts';

/** Limits of CloudWatch per dashboard. */
const WIDGETS_MAX = 500;
const METRICS_MAX = 2500;

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly width: number;
  readonly properties: {
    readonly title?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly alarms?: readonly string[];
  };
}

const stage = synthesize(everything);
const pages = stage.all.flatMap((stack) => ofType(stack, 'AWS::CloudWatch::Dashboard'));

/** The logical id behind a reference, in this or another stack. */
const logicalIdOf = (part: unknown): string => {
  const {
    Ref,
    'Fn::GetAtt': att,
    'Fn::GetStackOutput': weak,
    'Fn::ImportValue': strong,
  } = part as Record<string, unknown>;
  if (typeof Ref === 'string') return Ref;
  if (Array.isArray(att)) return `${att[0]}`;
  const output = String((weak as { OutputName?: string } | undefined)?.OutputName ?? strong);
  return output.replace(/^.*Output(?:FnGetAtt|Ref)/, '').replace(/(?:Arn|QueueName)?[0-9A-F]{8}$/, '');
};
const body = pages[0]?.properties.DashboardBody as { 'Fn::Join': [string, readonly unknown[]] } | undefined;
const parts = body?.['Fn::Join'][1] ?? [];
const text = parts.map((part) => (typeof part === 'string' ? part : logicalIdOf(part))).join('');
const { widgets } = JSON.parse(text) as { widgets: readonly Widget[] };
/** The complete lines of a graph: `...` stands for the beginning of the previous line. */
const linesOf = ({ properties: { metrics = [] } }: Widget): readonly string[] => {
  let before: readonly unknown[] = [];
  return metrics.map((line) => {
    const names = line.filter((part) => typeof part === 'string');
    const [dots, ...rest] = names;
    before = dots === '...' ? [...before.slice(0, before.length - rest.length), ...rest] : names;
    return JSON.stringify([...before, line.at(-1)]);
  });
};
const lines = widgets.flatMap(linesOf);
const graph = (title: string): readonly string[] =>
  widgets.filter((one) => one.properties.title === title).flatMap(linesOf);
const logicalIdsOf = (type: string): readonly string[] =>
  stage.all.flatMap((stack) => ofType(stack, type).map(({ logicalId }) => logicalId));

describe('the dashboard', () => {
  it('exists once per stage, within the limits of CloudWatch', () => {
    expect(pages).toHaveLength(1);
    expect(widgets.length).toBeLessThanOrEqual(WIDGETS_MAX);
    expect(lines.length).toBeLessThanOrEqual(METRICS_MAX);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBeLessThanOrEqual(24);
  });

  it('shows every alarm of the stage', () => {
    const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect([...shown].sort()).toEqual([...logicalIdsOf('AWS::CloudWatch::Alarm')].sort());
  });

  it.each(
    [
      ...new Set([
        ...routes.map(({ id }) => id),
        ...subscriptions.map(({ id }) => id),
        ...jobs.map(({ route }) => route.id),
      ]),
    ].filter((id) => handlerFiles.some((handler) => handler.id === id)),
  )('shows invocations, duration, errors and throttles of %s', (id) => {
    const own = lines.filter((line) => new RegExp(`"FunctionName","${constructIdOf(id)}[0-9A-F]{8}"`).test(line));
    for (const metric of ['Invocations', 'Duration', 'Errors', 'Throttles']) {
      expect(
        own.some((line) => line.includes(`"AWS/Lambda","${metric}"`)),
        metric,
      ).toBe(true);
    }
  });

  it('shows every deployed function', () => {
    for (const id of logicalIdsOf('AWS::Lambda::Function')) {
      expect(
        lines.some((line) => line.includes(`"FunctionName","${id}"`)),
        id,
      ).toBe(true);
    }
  });

  it('shows requests, errors and latency of both gateways', () => {
    for (const gateway of ['Gateway', 'KeyedGateway']) {
      for (const metric of ['Count', '4XXError', '5XXError', 'Latency', 'IntegrationLatency']) {
        const line = `"AWS/ApiGateway","${metric}","ApiName","directory-prod-api-${gateway}"`;
        expect(
          lines.some((one) => one.includes(line)),
          line,
        ).toBe(true);
      }
    }
  });

  it('shows capacity, throttles and latency of the table and its indexes', () => {
    const units = graph('Units of the table consumed');
    for (const metric of ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits']) {
      const own = units.filter((line) => line.includes(metric));
      expect(own).toHaveLength(1 + tableShape.indexes.length);
      for (const { name } of tableShape.indexes) {
        expect(
          own.some((line) => line.includes(`"GlobalSecondaryIndexName","${name}"`)),
          name,
        ).toBe(true);
      }
    }
    expect(graph('Refused by the table').join()).toMatch(/ThrottledRequests.*SystemErrors/);
    expect(graph('Time of the table, ms').join()).toMatch(/SuccessfulRequestLatency.*GROUP BY Operation/);
  });

  it('shows the iterator age and every dead-letter queue', () => {
    expect(graph('Events late by, ms').join()).toContain('"IteratorAge"');
    const waiting = graph('Waiting in dead-letter queues').join();
    const deadLetters = logicalIdsOf('AWS::SQS::Queue').filter((id) => !id.startsWith('BackupCompleted'));
    for (const id of deadLetters) expect(waiting).toContain(`"QueueName","${id}"`);
  });

  it('shows mail, payments and blocked requests', () => {
    expect(graph('Mail of the account').join()).toMatch(/"Send".*"Bounce".*"Complaint"/);
    const payments = graph('Payments').join();
    for (const { id, permissions } of routes) {
      if (permissions.includes('stripe') && handlerFiles.some((handler) => handler.id === id))
        expect(payments).toContain(constructIdOf(id));
    }
    expect(graph('Limits').join()).toContain('"AWS/WAFV2","BlockedRequests"');
  });

  it.each(Object.keys(topicByMetric))('shows the service metric %s', (name) => {
    expect(lines.some((line) => line.includes(`"Directory/prod","${name}","service","directory"`))).toBe(true);
  });

  it('imports nothing from other stacks but the table', () => {
    const imported = parts.filter((part) => typeof part === 'object' && part !== null && 'Fn::ImportValue' in part);
    // Every function imports the table anyway.
    expect(new Set(imported.map((part) => JSON.stringify(part))).size).toBe(1);
  });
});
