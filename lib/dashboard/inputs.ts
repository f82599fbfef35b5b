import { type Duration, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '#lib/config/schema.ts';
import { BaseFunction } from '#lib/constructs/base-function.ts';
import { DeadLetterQueue } from '#lib/constructs/dead-letter-queue.ts';
import { RunbookAlarm } from '#lib/constructs/runbook-alarm.ts';
import { Gateway } from '#lib/gateway/gateway.ts';
import { WebAcl } from '#lib/gateway/web-acl.ts';
import { groupBy } from '#lib/group-by.ts';
import { constructIdOf, type HandlerFile, handlerFiles } from '#lib/handlers.ts';

/** A deployed function and its handler. */
export class MonitoredFunction {
  readonly handlerFile: HandlerFile;
  /** The function name, a dimension of its metrics. */
  readonly name: string;

  constructor(handlerFile: HandlerFile, target: BaseFunction) {
    this.handlerFile = handlerFile;
    const { defaultChild: resource } = target.node;
    if (!(resource instanceof CfnFunction)) throw new Error(`${handlerFile.id} has no function.`);
    // A weak reference, so that the dashboard does not block removing a function of another stack.
    this.name = Stack.consumeReference(resource.ref, ReferenceStrength.WEAK);
  }

  metric(metricName: string, statistic: string, period: Duration): Metric {
    const dimensionsMap = { FunctionName: this.name };
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap,
      statistic,
      period,
      label: this.handlerFile.id,
    });
  }
}

/** The resources of a stage that have metrics. */
export interface DashboardInputs {
  readonly config: Config;
  readonly table: TableV2;
  readonly gateways: readonly Gateway[];
  readonly webAcl: WebAcl | undefined;
  readonly functions: readonly MonitoredFunction[];
  readonly queues: readonly DeadLetterQueue[];
  /** Alarms by stack name. */
  readonly alarms: ReadonlyMap<string, readonly Alarm[]>;
}

/** Finds the resources in the construct tree, so that they are not listed twice. */
export const inputsIn = (
  stacks: readonly Stack[],
  { config, table }: Pick<DashboardInputs, 'config' | 'table'>,
): DashboardInputs => {
  const all = stacks.flatMap((stack) => stack.node.findAll());
  const targets = new Map(all.filter((one) => one instanceof BaseFunction).map((one) => [one.node.id, one]));
  return {
    config,
    table,
    gateways: all.filter((one) => one instanceof Gateway),
    webAcl: all.find((one) => one instanceof WebAcl),
    functions: handlerFiles.flatMap((handlerFile) => {
      const target = targets.get(constructIdOf(handlerFile.id));
      return target === undefined ? [] : [new MonitoredFunction(handlerFile, target)];
    }),
    queues: all.filter((one) => one instanceof DeadLetterQueue),
    alarms: groupBy(
      all.filter((one) => one instanceof RunbookAlarm),
      (alarm) => Stack.of(alarm).stackName,
    ),
  };
};
