import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource } from 'aws-cdk-lib';
import { describe, expect, it, vi } from 'vitest';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';
import { synthesize } from './synthesized.ts';

/**
 * Every synthesis holds the templates against the schemas of CloudFormation, which come with `aws-cdk-lib`: that the stages
 * pass stands in `stages.test.ts`. Here is shown that passing means something.
 */

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly description: string;
      readonly violatingConstructs: readonly { readonly cloudFormationResource?: { readonly logicalId: string } }[];
    }[];
  }[];
}

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

const resourcesOf = (app: App): CfnResource[] => app.node.findAll().filter((one) => CfnResource.isCfnResource(one));

/** Spoils a stage before it is synthesized. @returns what is said of it, each with the resources that it is said of. */
const complaintsAbout = (spoil: (resources: readonly CfnResource[]) => void): Map<string, Set<string>> => {
  const outdir = mkdtempSync(join(tmpdir(), 'spoiled-'));
  const silence = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const quiet = vi.spyOn(console, 'error').mockReturnValue(undefined);
  try {
    const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
    stacksOf(app, configOf('prod'));
    spoil(resourcesOf(app));
    expect(() => app.synth()).toThrow('ERROR');
    const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as Report;
    const said = new Map<string, Set<string>>();
    for (const { description, violatingConstructs } of report.pluginReports.flatMap(({ violations }) => violations)) {
      const of = violatingConstructs.flatMap(({ cloudFormationResource }) => cloudFormationResource?.logicalId ?? []);
      said.set(description, new Set([...(said.get(description) ?? []), ...of]));
    }
    return said;
  } finally {
    silence.mockRestore();
    quiet.mockRestore();
    rmSync(outdir, { recursive: true, force: true });
  }
};

/** The first resource of each type. */
const samples = (resources: readonly CfnResource[]): CfnResource[] => [
  ...new Map(resources.toReversed().map((resource) => [resource.cfnResourceType, resource])).values(),
];

describe('the check of templates against the schemas', () => {
  it('knows every type of resource that is used, and notices a property that there is not', () => {
    const spoiled: string[] = [];
    const said = complaintsAbout((resources) => {
      for (const resource of samples(resources)) {
        resource.addPropertyOverride('NoSuchProperty', 'x');
        spoiled.push(resource.cfnResourceType);
      }
    });
    const [of = new Set<string>()] = [...said].flatMap(([words, found]) =>
      words.includes('NoSuchProperty') ? [found] : [],
    );
    expect(spoiled.length).toBeGreaterThan(25);
    expect(of.size).toBe(spoiled.length);
  });

  it.each([
    ['a wrong type', 'AWS::Lambda::Function', 'Timeout', 'soon', "Timeout: 'soon' is not of type 'integer'"],
    ['a wrong word', 'AWS::Lambda::Function', 'Architectures', ['vax'], "'vax' is not one of"],
    ['a name that is wrong further in', 'AWS::DynamoDB::GlobalTable', 'Replicas.0.Regoin', 'x', 'Regoin'],
    ['a property that is missing', 'AWS::Lambda::Function', 'Role', undefined, "'Role' is a required property"],
    ['a target that is missing', 'AWS::Scheduler::Schedule', 'Target', undefined, "'Target' is a required property"],
    ['a reference to nothing', 'AWS::Lambda::Function', 'Role', { Ref: 'Nobody' }, 'Nobody'],
  ])('notices %s', (_, type, property, value, words) => {
    const said = complaintsAbout((resources) => {
      const [resource] = resources.filter(({ cfnResourceType }) => cfnResourceType === type);
      if (value === undefined) resource?.addPropertyDeletionOverride(property);
      else resource?.addPropertyOverride(property, value);
      // Not all of these fail a synthesis by themselves.
      resource?.addPropertyOverride('NoSuchProperty', 'x');
    });
    expect([...said.keys()]).toContainEqual(expect.stringContaining(words));
  });

  it('is not argued with: no finding of it is acknowledged', () => {
    const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.filter((file) => readFileSync(join('lib', file), 'utf8').includes('CloudFormation-Validate'))).toEqual(
      [],
    );
    expect(context).toMatchObject({ '@aws-cdk/core:validateAgainstDefaultRules': true });
  });

  it.each(['dev', 'staging', 'prod', 'branch-9'])('finds nothing in %s', (stage) => {
    expect(synthesize(stage).findings).toEqual([]);
  });
});
