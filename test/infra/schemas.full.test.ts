import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource } from 'aws-cdk-lib';
import { expect, it, vi } from 'vitest';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import { nestedReportsIn, reportsIn } from './synthesized.ts';

/**
 * Every synthesis validates the templates of stacks against the CloudFormation schemas in `aws-cdk-lib`, and the tests
 * validate those of nested stacks. These tests show that the validation finds errors; `checks.full.test.ts` shows that it finds none in the stages.
 */

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

const resourcesOf = (app: App): CfnResource[] => app.node.findAll().filter((one) => CfnResource.isCfnResource(one));

/** Modifies the resources of a stage before synthesis. @returns the logical ids of violating resources by message. */
const violationsAfter = (modify: (resources: readonly CfnResource[]) => void): Map<string, Set<string>> => {
  const outdir = mkdtempSync(join(tmpdir(), 'modified-'));
  const alarmWhenBelow = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const quiet = vi.spyOn(console, 'error').mockReturnValue(undefined);
  try {
    const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    stacksOf(app, configOf('prod'));
    modify(resourcesOf(app));
    expect(() => app.synth()).toThrow('ERROR');
    const reports = [...reportsIn(outdir), ...nestedReportsIn(outdir)];
    const messages = new Map<string, Set<string>>();
    for (const { description, violatingConstructs } of reports.flatMap(({ violations }) => violations)) {
      const of = violatingConstructs.flatMap(({ cloudFormationResource }) => cloudFormationResource?.logicalId ?? []);
      messages.set(description, new Set([...(messages.get(description) ?? []), ...of]));
    }
    return messages;
  } finally {
    alarmWhenBelow.mockRestore();
    quiet.mockRestore();
    rmSync(outdir, { recursive: true, force: true });
  }
};

/** The first resource of each type. */
const samples = (resources: readonly CfnResource[]): CfnResource[] => [
  ...new Map(resources.toReversed().map((resource) => [resource.cfnResourceType, resource])).values(),
];

it('the validation of templates finds an unknown property of every resource type in use', () => {
  const modified: string[] = [];
  const messages = violationsAfter((resources) => {
    for (const resource of samples(resources)) {
      resource.addPropertyOverride('NoSuchProperty', 'x');
      modified.push(resource.cfnResourceType);
    }
  });
  const [of = new Set<string>()] = [...messages].flatMap(([words, found]) =>
    words.includes('NoSuchProperty') ? [found] : [],
  );
  expect(modified.length).toBeGreaterThan(25);
  expect(of.size).toBe(modified.length);
});

it.each([
  ['a wrong type', 'AWS::Lambda::Function', 'Timeout', 'soon', "Timeout: 'soon' is not of type 'integer'"],
  ['an unknown value', 'AWS::Lambda::Function', 'Architectures', ['vax'], "'vax' is not one of"],
  ['an unknown nested property', 'AWS::DynamoDB::GlobalTable', 'Replicas.0.Regoin', 'x', 'Regoin'],
  ['a missing property', 'AWS::Lambda::Function', 'Role', undefined, "'Role' is a required property"],
  ['a missing nested object', 'AWS::Scheduler::Schedule', 'Target', undefined, "'Target' is a required property"],
  ['a reference to a missing resource', 'AWS::Lambda::Function', 'Role', { Ref: 'Missing' }, 'Missing'],
])('the validation of templates finds %s', (_, type, property, value, words) => {
  const messages = violationsAfter((resources) => {
    const [resource] = resources.filter(({ cfnResourceType }) => cfnResourceType === type);
    if (value === undefined) resource?.addPropertyDeletionOverride(property);
    else resource?.addPropertyOverride(property, value);
    // Some of these errors alone do not fail the synthesis.
    resource?.addPropertyOverride('NoSuchProperty', 'x');
  });
  expect([...messages.keys()]).toContainEqual(expect.stringContaining(words));
});

it('the validation of templates has no acknowledged finding', () => {
  const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.filter((file) => readFileSync(join('lib', file), 'utf8').includes('CloudFormation-Validate'))).toEqual(
    [],
  );
  expect(context).toMatchObject({ '@aws-cdk/core:validateAgainstDefaultRules': true });
});
