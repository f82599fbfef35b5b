import { BedrockRuntimeClient, ConverseCommand, ThrottlingException } from '@aws-sdk/client-bedrock-runtime';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it, vi } from 'vitest';
import { askModel } from '#platform/model.ts';

/** Amazon Bedrock, whose failures cannot be provoked here. */

const bedrock = mockClient(BedrockRuntimeClient);
const question = { system: 'Rules.', material: '{"name":"X"}', tokensMax: 100 };

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AI_MODEL', 'maker.model-1');
  vi.stubEnv('LOG_LEVEL', 'CRITICAL');
  bedrock.reset();
});

it('asks the configured model by the Converse call', async () => {
  bedrock.on(ConverseCommand).resolves({
    output: { message: { role: 'assistant', content: [{ text: 'One ' }, { text: 'two.' }] } },
    stopReason: 'end_turn',
    usage: undefined,
    metrics: undefined,
  });
  expect(await askModel(question)).toEqual({ text: 'One two.', model: 'maker.model-1' });
  expect(bedrock.commandCalls(ConverseCommand)[0]?.args[0].input).toMatchObject({
    modelId: 'maker.model-1',
    system: [{ text: 'Rules.' }],
    messages: [{ role: 'user', content: [{ text: '{"name":"X"}' }] }],
    inferenceConfig: { maxTokens: 100 },
  });
});

it.each([
  ['is throttled', new ThrottlingException({ message: 'slow down', $metadata: {} })],
  ['does not answer', new Error('socket hang up')],
])('is unavailable when it %s', async (_, error) => {
  bedrock.on(ConverseCommand).rejects(error);
  await expect(askModel(question)).rejects.toMatchObject({ code: 'AI_UNAVAILABLE' });
});

it('answers nothing when the model does not', async () => {
  bedrock
    .on(ConverseCommand)
    .resolves({ output: undefined, stopReason: 'end_turn', usage: undefined, metrics: undefined });
  expect(await askModel(question)).toEqual({ text: '', model: 'maker.model-1' });
});
