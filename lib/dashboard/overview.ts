import { type IMetric, type IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { handlerIdOf, routes } from '#contract/table.ts';
import { tableShape } from '#data/keys.ts';
import { tableMetric } from '#lib/dashboard/metrics.ts';
import { GRAPH_PERIOD, graph } from './graph.ts';
import type { DashboardInputs } from './inputs.ts';
import { serviceMetricsFor } from './metrics.ts';

/** The stage as a whole, in rows of three graphs. */

const period = GRAPH_PERIOD;

const accountMetrics = (namespace: string, names: readonly string[], statistic = 'Sum'): readonly IMetric[] =>
  names.map((metricName) => new Metric({ namespace, metricName, statistic, period, label: metricName }));

const traffic = ({ gateways, config, webAcl }: DashboardInputs): readonly IWidget[] => {
  const each = (of: (gateway: DashboardInputs['gateways'][number]) => readonly Metric[]): readonly IMetric[] =>
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

const consumedBy = ({ table }: DashboardInputs, index?: string): readonly IMetric[] =>
  ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((metricName) =>
    table.metric(metricName, {
      statistic: 'Sum',
      period,
      label: `${index ?? 'table'}: ${metricName}`,
      dimensionsMap: { TableName: table.tableName, ...(index !== undefined && { GlobalSecondaryIndexName: index }) },
    }),
  );

const data = (inputs: DashboardInputs): readonly IWidget[] => {
  const { table } = inputs;
  return [
    graph('Units of the table consumed', [
      ...consumedBy(inputs),
      ...tableShape.indexes.flatMap(({ name }) => consumedBy(inputs, name)),
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
const iteratorAges = ({ functions }: DashboardInputs): readonly IMetric[] =>
  functions
    .filter(({ handlerFile }) => handlerFile.permissions.includes('stream'))
    .map((one) => one.metric('IteratorAge', 'Maximum', period));

const events = (inputs: DashboardInputs): readonly IWidget[] => [
  graph('Events late by, ms', iteratorAges(inputs), serviceMetricsFor('events', inputs.config.stage)),
  graph(
    'Waiting in dead-letter queues',
    inputs.queues.map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum', label: queue.label }),
    ),
  ),
];

const external = (inputs: DashboardInputs): readonly IWidget[] => {
  const paid = new Set(routes.filter(({ permissions }) => permissions.includes('stripe')).map(handlerIdOf));
  return [
    graph('Mail of the account', accountMetrics('AWS/SES', ['Send', 'Delivery', 'Bounce', 'Complaint', 'Reject']), [
      ...serviceMetricsFor('mail', inputs.config.stage),
    ]),
    graph(
      'Good name of the sender',
      accountMetrics('AWS/SES', ['Reputation.BounceRate', 'Reputation.ComplaintRate'], 'Maximum'),
    ),
    graph(
      'Payments',
      serviceMetricsFor('payments', inputs.config.stage),
      inputs.functions
        .filter(({ handlerFile }) => paid.has(handlerFile.id))
        .map((one) => one.metric('Invocations', 'Sum', period)),
    ),
  ];
};

/** The rows of graphs about the whole stage. */
export const overview = (inputs: DashboardInputs): readonly (readonly IWidget[])[] => {
  const six = traffic(inputs);
  return [six.slice(0, 3), six.slice(3), data(inputs), events(inputs), external(inputs)];
};
