import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import type { Stage } from './pages.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Rules?: readonly unknown[] };
}

/** A stage with what stands in its templates. */
export const stageOf = (name: string): Stage => {
  const config = configOf(name);
  const outdir = mkdtempSync(join(tmpdir(), 'costs-'));
  try {
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
    const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    stacksOf(app, config);
    const resources = app
      .synth()
      .stacks.flatMap(({ template }) => Object.values((template as { Resources: Record<string, Resource> }).Resources));
    const count = (type: string): number => resources.filter(({ Type }) => Type === type).length;
    return {
      config,
      standing: {
        alarms: count('AWS::CloudWatch::Alarm'),
        dashboards: count('AWS::CloudWatch::Dashboard'),
        keys: count('AWS::KMS::Key'),
        webAcls: count('AWS::WAFv2::WebACL'),
        webAclRules: resources
          .filter(({ Type }) => Type === 'AWS::WAFv2::WebACL')
          .reduce((rules, { Properties }) => rules + (Properties?.Rules?.length ?? 0), 0),
      },
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};
