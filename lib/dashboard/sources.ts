import { type Duration, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../config.ts';
import { DeadLetterQueue } from '../constructs/dead-letter-queue.ts';
import { Gateway } from '../constructs/gateway.ts';
import { PlainFunction } from '../constructs/plain-function.ts';
import { RunbookAlarm } from '../constructs/runbook-alarm.ts';
import { WebAcl } from '../constructs/web-acl.ts';
import { constructIdOf, type Door, doors } from '../doors.ts';

/** A function with numbers, and what stands behind it. */
export class Watched {
  readonly door: Door;
  /** What its metrics go by. */
  readonly name: string;

  constructor(door: Door, target: PlainFunction) {
    this.door = door;
    const { defaultChild: resource } = target.node;
    if (!(resource instanceof CfnFunction)) throw new Error(`${door.id} has no function.`);
    // A graph must not keep a function of another stack from being taken away.
    this.name = Stack.consumeReference(resource.ref, ReferenceStrength.WEAK);
  }

  metric(metricName: string, statistic: string, period: Duration): Metric {
    const dimensionsMap = { FunctionName: this.name };
    return new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, statistic, period, label: this.door.id });
  }
}

/** Everything of a stage that has numbers of its own. */
export interface Sources {
  readonly config: Config;
  readonly table: TableV2;
  readonly gateways: readonly Gateway[];
  readonly firewall: WebAcl | undefined;
  readonly functions: readonly Watched[];
  readonly queues: readonly DeadLetterQueue[];
  /** By the name of their stack. */
  readonly alarms: ReadonlyMap<string, readonly Alarm[]>;
}

/** Looks for it where it is made, so that nothing has to be listed twice. */
export const sourcesIn = (stacks: readonly Stack[], { config, table }: Pick<Sources, 'config' | 'table'>): Sources => {
  const all = stacks.flatMap((stack) => stack.node.findAll());
  const targets = new Map(all.filter((one) => one instanceof PlainFunction).map((one) => [one.node.id, one]));
  return {
    config,
    table,
    gateways: all.filter((one) => one instanceof Gateway),
    firewall: all.find((one) => one instanceof WebAcl),
    functions: doors.flatMap((door) => {
      const target = targets.get(constructIdOf(door.id));
      return target === undefined ? [] : [new Watched(door, target)];
    }),
    queues: all.filter((one) => one instanceof DeadLetterQueue),
    alarms: Map.groupBy(
      all.filter((one) => one instanceof RunbookAlarm),
      (alarm) => Stack.of(alarm).stackName,
    ),
  };
};
