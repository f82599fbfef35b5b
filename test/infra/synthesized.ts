import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { type Config, configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';

/** One resource of a template. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy: string | undefined;
}

/** A stack as it would be deployed. */
export interface SynthesizedStack {
  readonly name: string;
  readonly resources: readonly Resource[];
  /** The template as one string, as CloudFormation gets it. */
  readonly text: string;
  readonly terminationProtection: boolean;
}

/** A stage as it would be deployed, and everything that the checks have found in it. */
export interface Synthesized {
  readonly data: SynthesizedStack;
  readonly events: SynthesizedStack;
  readonly api: SynthesizedStack;
  readonly all: readonly SynthesizedStack[];
  readonly findings: readonly PluginReport[];
  /** What is said about addresses that are still examples, which named stages have until they are made one's own. */
  readonly exampleAddresses: readonly string[];
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

interface Violation {
  readonly ruleName: string;
  readonly description: string;
}

interface PluginReport {
  readonly pluginName: string;
  readonly violations: readonly Violation[];
}

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

/** Synthesizes a stage without bundles, with the checks of a real synthesis. */
export const synthesize = (stageOrConfig: string | Config): Synthesized => {
  const config = typeof stageOrConfig === 'string' ? configOf(stageOrConfig) : stageOrConfig;
  const outdir = mkdtempSync(join(tmpdir(), 'synth-'));
  try {
    const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    const stacks = stacksOf(app, config);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const assembly = app.synth();
    const read = (stackName: string): SynthesizedStack => {
      const artifact = assembly.getStackByName(stackName);
      const template = artifact.template as { Resources: Record<string, RawResource> };
      return {
        name: stackName,
        resources: Object.entries(template.Resources).map(([logicalId, resource]) => ({
          logicalId,
          type: resource.Type,
          properties: resource.Properties ?? {},
          deletionPolicy: resource.DeletionPolicy,
        })),
        text: readFileSync(artifact.templateFullPath, 'utf8'),
        terminationProtection: artifact.terminationProtection ?? false,
      };
    };
    const data = read(stacks.data.stackName);
    const events = read(stacks.events.stackName);
    const api = read(stacks.api.stackName);
    const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as {
      pluginReports: readonly PluginReport[];
    };
    const isExample = ({ ruleName }: Violation): boolean => ruleName.endsWith('directory:example-addresses');
    const violations = report.pluginReports.flatMap((plugin) => plugin.violations);
    return {
      data,
      events,
      api,
      all: [data, events, api],
      findings: report.pluginReports.flatMap((plugin) => {
        const others = plugin.violations.filter((violation) => !isExample(violation));
        return others.length > 0 || plugin.violations.length === 0 ? [{ ...plugin, violations: others }] : [];
      }),
      exampleAddresses: violations.filter(isExample).map(({ description }) => description),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

/** The resources of one type. */
export const ofType = (stack: SynthesizedStack, type: string): readonly Resource[] =>
  stack.resources.filter((resource) => resource.type === type);

/** The one resource of a type whose logical id begins so; CDK adds eight digits behind the construct's id. */
export const named = (stack: SynthesizedStack, type: string, constructId: string): Resource => {
  const found = ofType(stack, type).filter(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === constructId);
  const [resource] = found;
  if (!resource || found.length > 1)
    throw new Error(`${found.length} resources of type ${type} are called ${constructId}.`);
  return resource;
};

/** The logical id that a reference or attribute points at. */
export const targetOf = (value: unknown): string | undefined => {
  const reference = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] } | undefined;
  return reference?.Ref ?? reference?.['Fn::GetAtt']?.[0];
};

/** A value with everything that only a deployment knows replaced by a word. */
export const settled = (value: unknown): string => (typeof value === 'string' ? value : 'known-when-deployed');
