import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnParameter, CfnResource, NestedStack, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Config } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import { oncePerRun } from '#test/support/run-folder.ts';
import { flattened, type RawTemplate } from './flattened.ts';

/** One resource of a template. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy: string | undefined;
}

/** One template, as CloudFormation receives it. */
interface Template {
  readonly name: string;
  readonly text: string;
  readonly content: RawTemplate;
}

/** A stack as it would be deployed. */
export interface SynthesizedStack {
  readonly name: string;
  /** With those of nested stacks, as if they were in the same template. */
  readonly resources: readonly Resource[];
  /** The template of the stack without its nested stacks. */
  readonly content: RawTemplate;
  /** The template of the stack and those of its nested stacks. */
  readonly templates: readonly Template[];
  /** All templates as one string. */
  readonly text: string;
  readonly terminationProtection: boolean;
}

/** A stage as it would be deployed. */
export interface Synthesized {
  readonly data: SynthesizedStack;
  readonly events: SynthesizedStack;
  readonly api: SynthesizedStack;
  readonly all: readonly SynthesizedStack[];
  /** Warnings about example addresses, which the named stages contain until they are replaced. */
  readonly exampleAddresses: readonly string[];
}

interface Violation {
  readonly ruleName: string;
  readonly description: string;
  readonly violatingConstructs: readonly { readonly cloudFormationResource?: { readonly logicalId: string } }[];
}

interface PluginReport {
  readonly pluginName: string;
  readonly violations: readonly Violation[];
}

const cdkJson = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
// The command line adds the paths of constructs, which count towards the size of a template.
const context = { ...cdkJson.context, 'aws:cdk:enable-path-metadata': true };

const isExampleAddress = ({ ruleName }: Violation): boolean => ruleName.endsWith('directory:example-addresses');

/** The prod stage with every optional feature. */
export const everything: Config = {
  ...configOf('prod'),
  encryption: 'customer',
  api: {
    endpoint: 'regional',
    domain: {
      name: 'api.directory.example',
      keyedName: 'keyed.directory.example',
      hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' },
    },
    waf: { requestsPerFiveMinutes: 2000, managedRules: true },
  },
  alarms: { email: 'operators@directory.example' },
  site: {
    name: 'Directory',
    url: 'https://directory.example',
    indexNowKey: 'a-key-of-indexnow',
    languages: ['en', 'de', 'es', 'fr'],
  },
  ai: { model: 'amazon.nova-lite-v1:0' },
  features: { ai: true },
  usagePlans: [{ id: 'Standard', ratePerSecond: 5, burst: 5, requestsPerDay: 100, clients: ['One', 'Two'] }],
  identity: { kind: 'cognito', services: ['Crawler', 'Importer'], mail: 'ses' },
};

/** The prod stage with CloudFront in front of its pages. */
export const withCdn: Config = {
  ...configOf('prod'),
  site: {
    name: 'Directory',
    url: 'https://directory.example',
    mapStyleUrl: 'https://tiles.directory.example/style.json',
    cdn: {
      certificateParameter: '/directory/prod/pages-certificate',
      hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' },
      originKey: 1,
    },
  },
};

/** The report of the last synthesis into a folder; without checks and annotations there is none. */
export const reportsIn = (outdir: string): readonly PluginReport[] => {
  const report = join(outdir, 'validation-report.json');
  if (!existsSync(report)) return [];
  return (JSON.parse(readFileSync(report, 'utf8')) as { pluginReports: readonly PluginReport[] }).pluginReports;
};

/**
 * The findings of CloudFormation's schemas in the nested templates of a synthesized app. The synthesis validates
 * templates of stacks only, so each nested template is synthesized again as that of a stack.
 */
export const nestedReportsIn = (outdir: string): readonly PluginReport[] =>
  readdirSync(outdir)
    .filter((file) => file.endsWith('.nested.template.json'))
    .flatMap((file) => {
      const again = mkdtempSync(join(tmpdir(), 'nested-'));
      try {
        const app = new App({ outdir: again, context });
        const stack = new Stack(app, 'Nested', { suppressTemplateIndentation: true });
        const { Parameters = {}, Resources } = JSON.parse(readFileSync(join(outdir, file), 'utf8')) as RawTemplate;
        for (const [id, { Type }] of Object.entries(Parameters)) new CfnParameter(stack, id, { type: Type });
        for (const [id, { Type, Properties = {} }] of Object.entries(Resources))
          new CfnResource(stack, id, { type: Type, properties: { ...Properties } });
        try {
          app.synth();
        } catch (error) {
          if (!(error instanceof Error && error.message.includes('ERROR'))) throw error;
        }
        return reportsIn(again);
      } finally {
        rmSync(again, { recursive: true, force: true });
      }
    });

/** @param isChecked whether cdk-nag and CloudFormation's schemas are applied, which takes seconds. */
const synthesizeApp = (config: Config, isChecked: boolean, commandContext: Readonly<Record<string, string>> = {}) => {
  const outdir = mkdtempSync(join(tmpdir(), 'synth-'));
  const { CDK_VALIDATION: before } = process.env;
  if (!isChecked) process.env.CDK_VALIDATION = 'false';
  try {
    const app = new App({
      outdir,
      context: { ...context, ...commandContext, 'aws:cdk:bundling-stacks': [] },
      // No test reads them, and they take a tenth of the time.
      stackTraces: false,
      treeMetadata: false,
    });
    const stacks = stacksOf(app, config);
    if (isChecked) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const assembly = app.synth();
    const templateOf = (name: string, file: string): Template => {
      const text = readFileSync(join(outdir, file), 'utf8');
      return { name, text, content: JSON.parse(text) as RawTemplate };
    };
    const read = (stack: Stack): SynthesizedStack => {
      const own = templateOf(stack.stackName, stack.templateFile);
      const nested = stack.node
        .findAll()
        .filter((one) => one instanceof NestedStack)
        .map(({ node: { id }, nestedStackResource, templateFile }) => {
          if (!nestedStackResource) throw new Error(`${id} has no resource.`);
          const logicalId = stack.resolve(stack.getLogicalId(nestedStackResource)) as string;
          return { id, logicalId, ...templateOf(`${stack.stackName}-${id}`, templateFile) };
        });
      const resources = flattened(
        own.content,
        nested.map(({ id, logicalId, content }) => ({ id, logicalId, template: content })),
      );
      const templates = [own, ...nested.map(({ name, text, content }) => ({ name, text, content }))];
      return {
        name: stack.stackName,
        resources: Object.entries(resources).map(([logicalId, resource]) => ({
          logicalId,
          type: resource.Type,
          properties: resource.Properties ?? {},
          deletionPolicy: resource.DeletionPolicy,
        })),
        content: own.content,
        templates,
        text: templates.map(({ text }) => text).join('\n'),
        terminationProtection: assembly.getStackByName(stack.stackName).terminationProtection ?? false,
      };
    };
    const data = read(stacks.data);
    const events = read(stacks.events);
    const api = read(stacks.api);
    const pluginReports = [...reportsIn(outdir), ...(isChecked ? nestedReportsIn(outdir) : [])];
    return { data, events, api, pluginReports };
  } finally {
    if (before === undefined) delete process.env.CDK_VALIDATION;
    else process.env.CDK_VALIDATION = before;
    rmSync(outdir, { recursive: true, force: true });
  }
};

const resolveConfig = (stageOrConfig: string | Config): Config =>
  typeof stageOrConfig === 'string' ? configOf(stageOrConfig) : stageOrConfig;

const cache = new Map<string, Synthesized>();

/**
 * Synthesizes a stage without bundles and without checks, once per test run and configuration.
 * @param commandContext as with `-c`.
 */
export const synthesize = (
  stageOrConfig: string | Config,
  commandContext: Readonly<Record<string, string>> = {},
): Synthesized => {
  const config = resolveConfig(stageOrConfig);
  const key = JSON.stringify([config, commandContext]);
  const known = cache.get(key);
  if (known) return known;
  const { data, events, api, pluginReports } = oncePerRun(key, () => synthesizeApp(config, false, commandContext));
  const exampleAddresses = pluginReports
    .flatMap(({ violations }) => violations)
    .filter(isExampleAddress)
    .map(({ description }) => description);
  const synthesized = { data, events, api, all: [data, events, api], exampleAddresses };
  cache.set(key, synthesized);
  return synthesized;
};

/** The findings of cdk-nag, of CloudFormation's schemas and of CDK itself, except those about example addresses. */
export const findingsOf = (stageOrConfig: string | Config): readonly PluginReport[] =>
  synthesizeApp(resolveConfig(stageOrConfig), true).pluginReports.flatMap((plugin) => {
    const violations = plugin.violations.filter((violation) => !isExampleAddress(violation));
    return violations.length > 0 || plugin.violations.length === 0 ? [{ ...plugin, violations }] : [];
  });

/** The resources of one type. */
export const ofType = (stack: SynthesizedStack, type: string): readonly Resource[] =>
  stack.resources.filter((resource) => resource.type === type);

/** The only resource of a type with this construct id, to which CDK appends eight hexadecimal digits. */
export const named = (stack: SynthesizedStack, type: string, constructId: string): Resource => {
  const found = ofType(stack, type).filter(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === constructId);
  const [resource] = found;
  if (!resource || found.length > 1)
    throw new Error(`${found.length} resources of type ${type} have the construct id ${constructId}.`);
  return resource;
};

/** The logical id that a reference or attribute points at. */
export const targetOf = (value: unknown): string | undefined => {
  const reference = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] } | undefined;
  return reference?.Ref ?? reference?.['Fn::GetAtt']?.[0];
};

/** A value, or a placeholder where only a deployment knows it; an address, because some of these values are. */
export const resolvedText = (value: unknown): string =>
  typeof value === 'string' ? value : 'https://known-when-deployed.example';
