import { type IMetric, type IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { handlerIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { tableMetric } from '#lib/constructs/table-metric.ts';
import { serviceMetricsFor } from './counted.ts';
import { GRAPH_PERIOD, graph } from './graph.ts';
import type { Sources } from './sources.ts';

/** The stage as a whole, in rows of three graphs. */

const period = GRAPH_PERIOD;

const accountMetrics = (namespace: string, names: readonly string[], statistic = 'Sum'): readonly IMetric[] =>
  names.map((metricName) => new Metric({ namespace, metricName, statistic, period, label: metricName }));

const traffic = ({ gateways, config, webAcl }: Sources): readonly IWidget[] => {
  const each = (of: (gateway: Sources['gateways'][number]) => readonly Metric[]): readonly IMetric[] =>
    gateways.flatMap((gateway) =>
      of(gateway).map((metric) => metric.with({ label: `${gateway.node.id}: ${metric.label}` })),
    );
  const labelled = (label: string, metric: Metric) => metric.with({ label });
  const blocked = webAcl?.blockedRequests(period);
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
      serviceMetricsFor('errors', config.stage),
    ),
    graph(
      'Time to answer, ms',
      each(({ deploymentStage: stage }) => [
        ...['p50', 'p90', 'p99'].map((statistic) => labelled(statistic, stage.metricLatency({ period, statistic }))),
        labelled('p99 without the gateway', stage.metricIntegrationLatency({ period, statistic: 'p99' })),
      ]),
      serviceMetricsFor('latency', config.stage),
    ),
    graph('Functions of the account', accountMetrics('AWS/Lambda', ['Errors', 'Throttles']), [
      ...accountMetrics('AWS/Lambda', ['ConcurrentExecutions'], 'Maximum'),
    ]),
    graph('Limits', serviceMetricsFor('limits', config.stage), blocked === undefined ? [] : [blocked]),
    graph('Catalogs in memory', serviceMetricsFor('catalog', config.stage)),
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

/** The iterator age of functions that a stream invokes. */
const iteratorAges = ({ functions }: Sources): readonly IMetric[] =>
  functions
    .filter(({ handlerFile }) => handlerFile.permissions.includes('stream'))
    .map((one) => one.metric('IteratorAge', 'Maximum', period));

const events = (sources: Sources): readonly IWidget[] => [
  graph('Events late by, ms', iteratorAges(sources), serviceMetricsFor('events', sources.config.stage)),
  graph(
    'Waiting in dead-letter queues',
    sources.queues.map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum', label: queue.label }),
    ),
  ),
];

const external = (sources: Sources): readonly IWidget[] => {
  const paid = new Set(routes.filter(({ permissions }) => permissions.includes('stripe')).map(handlerIdOf));
  return [
    graph('Mail of the account', accountMetrics('AWS/SES', ['Send', 'Delivery', 'Bounce', 'Complaint', 'Reject']), [
      ...serviceMetricsFor('mail', sources.config.stage),
    ]),
    graph(
      'Good name of the sender',
      accountMetrics('AWS/SES', ['Reputation.BounceRate', 'Reputation.ComplaintRate'], 'Maximum'),
    ),
    graph(
      'Payments',
      serviceMetricsFor('payments', sources.config.stage),
      sources.functions
        .filter(({ handlerFile }) => paid.has(handlerFile.id))
        .map((one) => one.metric('Invocations', 'Sum', period)),
    ),
  ];
};

/** The rows of graphs about the whole stage. */
export const overview = (sources: Sources): readonly (readonly IWidget[])[] => {
  const six = traffic(sources);
  return [six.slice(0, 3), six.slice(3), data(sources), events(sources), external(sources)];
};
