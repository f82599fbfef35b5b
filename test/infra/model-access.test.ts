import { describe, expect, it } from 'vitest';
import { configOf } from '#lib/config.ts';
import { statementsOf } from './statements.ts';
import { named, synthesize, targetOf } from './synthesized.ts';

/** What the function that asks a model may ask, by the id that the stage names. */

const stageWith = (model: string) => synthesize({ ...configOf('branch'), ai: { model } });

const accessIn = ({ api }: ReturnType<typeof stageWith>) => {
  const role = targetOf(named(api, 'AWS::Lambda::Function', 'AiGenerate').properties.Role);
  return statementsOf(api, role).filter(({ Action }) => String(Action).startsWith('bedrock:'));
};

const textOf = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/\{"Ref":"AWS::(\w+)"\}/g, '$1')
    .replaceAll(/[",[\]]/g, '');

describe('a model of the region', () => {
  it.each(['amazon.nova-lite-v1:0', 'zai.model-4.7', 'anthropic.claude-v1:0'])('is %s and no other', (id) => {
    const [only, ...others] = accessIn(stageWith(id));
    expect(others).toEqual([]);
    expect(only?.Action).toBe('bedrock:InvokeModel');
    expect(textOf(only?.Resource)).toContain(`:bedrock:Region::foundation-model/${id}`);
  });
});

describe('an inference profile', () => {
  it.each([
    ['eu.anthropic.claude-v1:0', 'anthropic.claude-v1:0'],
    ['us-gov.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
    ['global.amazon.nova-2-lite-v1:0', 'amazon.nova-2-lite-v1:0'],
  ])('%s is asked here, and its model answers in any region by way of it', (id, model) => {
    const stage = stageWith(id);
    const [profile, answering, ...others] = accessIn(stage);
    expect(others).toEqual([]);
    expect(textOf(profile?.Resource)).toContain(`:bedrock:Region:AccountId:inference-profile/${id}`);
    expect(textOf(answering?.Resource)).toContain(`:bedrock:*::foundation-model/${model}`);
    expect(textOf(answering?.Condition)).toMatch(new RegExp(`InferenceProfileArn.*inference-profile/${id}`));
    expect(stage.findings).toEqual([]);
  });
});
