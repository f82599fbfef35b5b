import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { groupBy } from '#lib/group-by.ts';
import { type Series, SeriesGraph } from './graph.ts';
import type { DashboardInputs, MonitoredFunction } from './inputs.ts';

/** Routes are grouped by domain (jobs are the domain `cron`), other functions by kind. */
const groupOf = ({ handlerFile }: MonitoredFunction): string =>
  handlerFile.kind === 'route' ? (handlerFile.id.split('.')[0] as string) : handlerFile.kind;

const seriesOf = (functions: readonly MonitoredFunction[], metricName: string): Series => ({
  namespace: 'AWS/Lambda',
  metricName,
  dimension: 'FunctionName',
  of: functions.map(({ handlerFile, name }) => ({ value: name, label: handlerFile.id })),
});

const rowOf = (group: string, functions: readonly MonitoredFunction[]): readonly IWidget[] => [
  new SeriesGraph(`${group}: runs`, 'Sum', [seriesOf(functions, 'Invocations')]),
  new SeriesGraph(`${group}: p99 of their time, ms`, 'p99', [seriesOf(functions, 'Duration')]),
  new SeriesGraph(`${group}: errors (left), not started (right)`, 'Sum', [
    seriesOf(functions, 'Errors'),
    { ...seriesOf(functions, 'Throttles'), yAxis: 'right' },
  ]),
];

/** A row of graphs per group of functions. */
export const functionRows = ({ functions }: DashboardInputs): readonly (readonly IWidget[])[] =>
  [...groupBy(functions, groupOf)].map(([group, ofGroup]) => rowOf(group, ofGroup));
