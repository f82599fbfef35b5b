import { Stack } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { configOf } from '#lib/config.ts';
import { modelStatements } from '#lib/iam/model-access.ts';
import { longTest } from '#test/support/long-test.ts';
import { type Statement, statementsOf } from './statements.ts';
import { named, synthesize, targetOf } from './synthesized.ts';

/** The Bedrock permissions of the function that generates text, by the model id in the stage's settings. */

const statementsFor = (id: string) =>
  new Stack().resolve(modelStatements(id).map((statement) => statement.toStatementJson())) as readonly Statement[];

const textOf = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/\{"Ref":"AWS::(\w+)"\}/g, '$1')
    .replaceAll(/[",[\]]/g, '');

it.each(['amazon.nova-lite-v1:0', 'zai.model-4.7', 'anthropic.claude-v1:0'])(
  '%s is the only allowed model, in the region of the stage',
  (id) => {
    const [only, ...others] = statementsFor(id);
    expect(others).toEqual([]);
    expect(only?.Action).toBe('bedrock:InvokeModel');
    expect(textOf(only?.Resource)).toContain(`:bedrock:Region::foundation-model/${id}`);
  },
);

const PROFILES = [
  ['eu.anthropic.claude-v1:0', 'anthropic.claude-v1:0'],
  ['us-gov.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
  ['global.amazon.nova-2-lite-v1:0', 'amazon.nova-2-lite-v1:0'],
] as const;

it.each(PROFILES)('%s is allowed in the region of the stage, and its model in any region through it', (id, model) => {
  const [profile, foundation, ...others] = statementsFor(id);
  expect(others).toEqual([]);
  expect(textOf(profile?.Resource)).toContain(`:bedrock:Region:AccountId:inference-profile/${id}`);
  expect(textOf(foundation?.Resource)).toContain(`:bedrock:*::foundation-model/${model}`);
  expect(textOf(foundation?.Condition)).toMatch(new RegExp(`InferenceProfileArn.*inference-profile/${id}`));
});

longTest('the function ai.generate has the statements of the model and no other Bedrock permission', () => {
  const [id] = PROFILES[0];
  const { api } = synthesize({ ...configOf('branch'), ai: { model: id } });
  const role = targetOf(named(api, 'AWS::Lambda::Function', 'AiGenerate').properties.Role);
  const found = statementsOf(api, role).filter(({ Action }) => String(Action).startsWith('bedrock:'));
  expect(found).toEqual(statementsFor(id));
});
