import { BedrockRuntimeClient, ConverseCommand, ThrottlingException } from '@aws-sdk/client-bedrock-runtime';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { generateText } from '#platform/bedrock.ts';

const bedrock = mockClient(BedrockRuntimeClient);
afterAll(() => bedrock.restore());
const prompt = { system: 'Rules.', material: '{"name":"X"}', tokensMax: 100 };

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AI_MODEL', 'maker.model-1');
  vi.stubEnv('LOG_LEVEL', 'CRITICAL');
  bedrock.reset();
});

it('calls the configured Bedrock model with the Converse API', async () => {
  bedrock.on(ConverseCommand).resolves({
    output: { message: { role: 'assistant', content: [{ text: 'One ' }, { text: 'two.' }] } },
    stopReason: 'end_turn',
    usage: undefined,
    metrics: undefined,
  });
  expect(await generateText(prompt)).toEqual({ text: 'One two.', model: 'maker.model-1' });
  expect(bedrock.commandCalls(ConverseCommand)[0]?.args[0].input).toMatchObject({
    modelId: 'maker.model-1',
    system: [{ text: 'Rules.' }],
    messages: [{ role: 'user', content: [{ text: '{"name":"X"}' }] }],
    inferenceConfig: { maxTokens: 100 },
  });
});

it.each([
  ['is throttled', new ThrottlingException({ message: 'slow down', $metadata: {} })],
  ['closes the connection', new Error('socket hang up')],
])('throws AI_UNAVAILABLE when Bedrock %s', async (_, error) => {
  bedrock.on(ConverseCommand).rejects(error);
  await expect(generateText(prompt)).rejects.toMatchObject({ code: 'AI_UNAVAILABLE' });
});

it('returns an empty text when the model returns no output', async () => {
  bedrock
    .on(ConverseCommand)
    .resolves({ output: undefined, stopReason: 'end_turn', usage: undefined, metrics: undefined });
  expect(await generateText(prompt)).toEqual({ text: '', model: 'maker.model-1' });
});
