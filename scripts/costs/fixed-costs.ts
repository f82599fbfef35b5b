import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnUserPoolClient } from 'aws-cdk-lib/aws-cognito';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import type { Stage } from './cost-doc.ts';

/** The metrics that a query matches: one for each operation of a table that the service uses. */
const QUERY_METRICS = 8;

/** How many metrics an alarm watches. */
const metricsOf = (alarm: CfnAlarm): number => {
  if (!Array.isArray(alarm.metrics)) return 1;
  const metrics = alarm.metrics as readonly { metricStat?: unknown; expression?: string }[];
  return metrics.reduce((sum, { metricStat, expression }) => {
    if (metricStat) return sum + 1;
    return expression?.startsWith('SELECT') ? sum + QUERY_METRICS : sum;
  }, 0);
};

/** Counts the standing resources of a stage, in its stacks and their nested stacks. */
export const stageOf = (name: string): Stage => {
  const config = configOf(name);
  const outdir = mkdtempSync(join(tmpdir(), 'costs-'));
  try {
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
    const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    stacksOf(app, config);
    const resources = app.node.findAll().filter((one) => CfnResource.isCfnResource(one));
    const count = (type: string): number => resources.filter(({ cfnResourceType }) => cfnResourceType === type).length;
    return {
      config,
      standing: {
        alarms: count('AWS::CloudWatch::Alarm'),
        alarmMetrics: resources
          .filter((one) => one instanceof CfnAlarm)
          .reduce((sum, alarm) => sum + metricsOf(alarm), 0),
        dashboards: count('AWS::CloudWatch::Dashboard'),
        queues: count('AWS::SQS::Queue'),
        keys: count('AWS::KMS::Key'),
        webAcls: count('AWS::WAFv2::WebACL'),
        serviceClients: resources
          .filter((one) => one instanceof CfnUserPoolClient)
          .filter(({ allowedOAuthFlows = [] }) => allowedOAuthFlows.includes('client_credentials')).length,
        webAclRules: resources
          .filter((one) => one instanceof CfnWebACL)
          .reduce((sum, { rules }) => sum + (Array.isArray(rules) ? rules.length : 0), 0),
      },
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};
