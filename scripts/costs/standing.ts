import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource } from 'aws-cdk-lib';
import { CfnUserPoolClient } from 'aws-cdk-lib/aws-cognito';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import type { Stage } from './pages.ts';

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
        dashboards: count('AWS::CloudWatch::Dashboard'),
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
