import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { routes } from '#contract/table.ts';
import type { World } from './constructs/capabilities.ts';
import { metricsNamespace } from './constructs/environment.ts';
import { Gateway } from './constructs/gateway.ts';
import { GatewayLogRole } from './constructs/gateway-log-role.ts';
import { KeyClients } from './constructs/key-clients.ts';
import { RouteFunctions } from './constructs/route-functions.ts';
import { ALARM_PERIOD, RunbookAlarm } from './constructs/runbook-alarm.ts';

export interface ApiStackProps extends StackProps {
  readonly world: World;
  /** The functions of jobs, by the ids of their doors. */
  readonly jobs: ReadonlyMap<string, IFunction>;
}

/** What callers reach: a function per route behind two gateways, one for everybody and one for clients with keys. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { world, jobs, ...props }: ApiStackProps) {
    super(scope, id, props);
    const { config } = world;
    const functions = new RouteFunctions(this, 'Functions', world, routes, jobs);
    const logRole = new GatewayLogRole(this, 'GatewayLogRole');
    const common = { config, routes, targetOf: functions.targetOf.bind(functions) };
    const open = new Gateway(this, 'Gateway', { ...common, keysRequired: false });
    const keyed = new Gateway(this, 'KeyedGateway', { ...common, keysRequired: true });
    for (const gateway of [open, keyed]) gateway.deploymentStage.node.addDependency(logRole);
    new KeyClients(this, 'Clients', config, keyed);
    new RunbookAlarm(this, 'RateCounterUnavailable', {
      section: 'rate-counter-unavailable',
      says: 'Requests pass uncounted because the rate counter cannot be reached.',
      metric: new Metric({
        namespace: metricsNamespace(config.stage),
        metricName: 'RateCounterUnavailable',
        dimensionsMap: { service: 'directory' },
        statistic: 'Sum',
        period: ALARM_PERIOD,
      }),
      threshold: 10,
    });
    new RunbookAlarm(this, 'PaymentMismatch', {
      section: 'payment-mismatch',
      says: 'Somebody has paid another amount than was asked and has got nothing for it.',
      metric: new Metric({
        namespace: metricsNamespace(config.stage),
        metricName: 'PaymentMismatch',
        dimensionsMap: { service: 'directory' },
        statistic: 'Sum',
        period: ALARM_PERIOD,
      }),
      threshold: 1,
    });
    new CfnOutput(this, 'Url', { value: open.url });
    new CfnOutput(this, 'KeyedUrl', { value: keyed.url });
  }
}
