import { type IMetric, type IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { doorIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { tableMetric } from '../constructs/table-metric.ts';
import { countedFor } from './counted.ts';
import { GRAPH_PERIOD, graph } from './graph.ts';
import type { Sources } from './sources.ts';

/** The stage as a whole, in rows of three graphs. */

const period = GRAPH_PERIOD;

const ofAccount = (namespace: string, names: readonly string[], statistic = 'Sum'): readonly IMetric[] =>
  names.map((metricName) => new Metric({ namespace, metricName, statistic, period, label: metricName }));

const traffic = ({ gateways, config, firewall }: Sources): readonly IWidget[] => {
  const each = (of: (gateway: Sources['gateways'][number]) => readonly Metric[]): readonly IMetric[] =>
    gateways.flatMap((gateway) =>
      of(gateway).map((metric) => metric.with({ label: `${gateway.node.id}: ${metric.label}` })),
    );
  const labelled = (label: string, metric: Metric) => metric.with({ label });
  const blocked = firewall?.blockedRequests(period);
  return [
    graph(
      'Requests',
      each(({ deploymentStage: stage }) => [labelled('all', stage.metricCount({ period }))]),
    ),
    graph(
      'Refused and failed',
      each(({ deploymentStage: stage }) => [
        labelled('4xx', stage.metricClientError({ period, statistic: 'Sum' })),
        labelled('5xx', stage.metricServerError({ period, statistic: 'Sum' })),
      ]),
      countedFor('errors', config.stage),
    ),
    graph(
      'Time to answer, ms',
      each(({ deploymentStage: stage }) => [
        ...['p50', 'p90', 'p99'].map((statistic) => labelled(statistic, stage.metricLatency({ period, statistic }))),
        labelled('p99 without the gateway', stage.metricIntegrationLatency({ period, statistic: 'p99' })),
      ]),
    ),
    graph('Functions of the account', ofAccount('AWS/Lambda', ['Errors', 'Throttles']), [
      ...ofAccount('AWS/Lambda', ['ConcurrentExecutions'], 'Maximum'),
    ]),
    graph('Limits', countedFor('limits', config.stage), blocked === undefined ? [] : [blocked]),
    graph('Catalogs in memory', countedFor('catalog', config.stage)),
  ];
};

const consumedBy = ({ table }: Sources, index?: string): readonly IMetric[] =>
  ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((metricName) =>
    table.metric(metricName, {
      statistic: 'Sum',
      period,
      label: `${index ?? 'table'}: ${metricName}`,
      dimensionsMap: { TableName: table.tableName, ...(index !== undefined && { GlobalSecondaryIndexName: index }) },
    }),
  );

const data = (sources: Sources): readonly IWidget[] => {
  const { table } = sources;
  return [
    graph('Units of the table consumed', [
      ...consumedBy(sources),
      ...tableShape.indexes.flatMap(({ name }) => consumedBy(sources, name)),
    ]),
    graph(
      'Refused by the table',
      ['ThrottledRequests', 'SystemErrors'].map((metricName) => tableMetric(table, { metricName, period })),
      ['ConditionalCheckFailedRequests', 'TransactionConflict'].map((metricName) =>
        table.metric(metricName, { statistic: 'Sum', period, label: metricName }),
      ),
    ),
    graph('Time of the table, ms', [
      tableMetric(table, { metricName: 'SuccessfulRequestLatency', statistic: 'AVG', perOperation: true, period }),
    ]),
  ];
};

/** Started by a stream: how far behind it is has a number of its own. */
const lagOf = ({ functions }: Sources): readonly IMetric[] =>
  functions
    .filter(({ door }) => door.needs.includes('stream'))
    .map((one) => one.metric('IteratorAge', 'Maximum', period));

const events = (sources: Sources): readonly IWidget[] => [
  graph('Events late by, ms', lagOf(sources), countedFor('events', sources.config.stage)),
  graph(
    'Waiting in dead-letter queues',
    sources.queues.map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum', label: queue.label }),
    ),
  ),
];

const outside = (sources: Sources): readonly IWidget[] => {
  const paid = new Set(routes.filter(({ needs }) => needs.includes('stripe')).map(doorIdOf));
  return [
    graph('Mail of the account', ofAccount('AWS/SES', ['Send', 'Delivery', 'Bounce', 'Complaint', 'Reject']), [
      ...countedFor('mail', sources.config.stage),
    ]),
    graph(
      'Good name of the sender',
      ofAccount('AWS/SES', ['Reputation.BounceRate', 'Reputation.ComplaintRate'], 'Maximum'),
    ),
    graph(
      'Payments',
      countedFor('payments', sources.config.stage),
      sources.functions.filter(({ door }) => paid.has(door.id)).map((one) => one.metric('Invocations', 'Sum', period)),
    ),
  ];
};

/** Rows for what a stage does as a whole. */
export const overview = (sources: Sources): readonly (readonly IWidget[])[] => {
  const six = traffic(sources);
  return [six.slice(0, 3), six.slice(3), data(sources), events(sources), outside(sources)];
};
