import { expect, it } from 'vitest';
import { topicByMetric } from '#lib/dashboard/metrics.ts';
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
const logicalIdsOf = (type: string): readonly string[] =>
  stage.all.flatMap((stack) => ofType(stack, type).map(({ logicalId }) => logicalId));

it('the dashboard exists once per stage, within the limits of CloudWatch', () => {
  expect(pages).toHaveLength(1);
  expect(widgets.length).toBeLessThanOrEqual(WIDGETS_MAX);
  expect(lines.length).toBeLessThanOrEqual(METRICS_MAX);
  expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBeLessThanOrEqual(24);
});

it('the dashboard shows every alarm of the stage', () => {
  const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
  expect([...shown].sort()).toEqual([...logicalIdsOf('AWS::CloudWatch::Alarm')].sort());
});

it('the dashboard shows every deployed function', () => {
  for (const id of logicalIdsOf('AWS::Lambda::Function')) {
    expect(
      lines.some((line) => line.includes(`"FunctionName","${id}"`)),
      id,
    ).toBe(true);
  }
});

it.each(Object.keys(topicByMetric))('the dashboard shows the service metric %s', (name) => {
  expect(lines.some((line) => line.includes(`"Directory/prod","${name}","service","directory"`))).toBe(true);
});
