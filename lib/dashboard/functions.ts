import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { type Series, SeriesGraph } from './graph.ts';
import type { Sources, Watched } from './sources.ts';

/** Routes by their domain, of which jobs are one; the others by what starts them. */
const groupOf = ({ door }: Watched): string => (door.kind === 'route' ? (door.id.split('.')[0] as string) : door.kind);

const seriesOf = (functions: readonly Watched[], metricName: string): Series => ({
  namespace: 'AWS/Lambda',
  metricName,
  dimension: 'FunctionName',
  of: functions.map(({ door, name }) => ({ value: name, label: door.id })),
});

const rowOf = (group: string, functions: readonly Watched[]): readonly IWidget[] => [
  new SeriesGraph(`${group}: runs`, 'Sum', [seriesOf(functions, 'Invocations')]),
  new SeriesGraph(`${group}: p99 of their time, ms`, 'p99', [seriesOf(functions, 'Duration')]),
  new SeriesGraph(`${group}: errors (left), not started (right)`, 'Sum', [
    seriesOf(functions, 'Errors'),
    { ...seriesOf(functions, 'Throttles'), yAxis: 'right' },
  ]),
];

/** Rows for the functions, a row for each group. */
export const functionRows = ({ functions }: Sources): readonly (readonly IWidget[])[] =>
  [...Map.groupBy(functions, groupOf)].map(([group, ofGroup]) => rowOf(group, ofGroup));
