import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { AppError } from '#shared/errors.ts';
import { lazily } from './aws.ts';
import { environment } from './environment.ts';
import { log, loggable } from './log.ts';
import { secret } from './ssm.ts';
import { limitWithinRequest } from './time-limit.ts';

export interface Prompt {
  /** Instructions, sent as the system message. */
  readonly system: string;
  /** User input as JSON, sent as the user message. */
  readonly material: string;
  readonly tokensMax: number;
}

interface Completion {
  readonly text: string;
  readonly model: string;
}

/** Timeout of a generation, in milliseconds; the gateway allows 29 seconds per request. */
const TIMEOUT_MS = 25_000;
/** The time that remains to respond after a generation, in milliseconds. */
const RESERVE_MS = 1000;
/** Longest response body that is read, in bytes. */
const RESPONSE_BYTES_MAX = 256 * 1024;
const MODEL_NAME_MAX = 200;
const TEMPERATURE = 0.3;

const timeoutSignal = (): AbortSignal => AbortSignal.timeout(limitWithinRequest(TIMEOUT_MS, RESERVE_MS));

const bedrock = lazily(() => new BedrockRuntimeClient({ maxAttempts: 2 }));

const generateWithBedrock = async (modelId: string, prompt: Prompt): Promise<Completion> => {
  const { output } = await bedrock().send(
    new ConverseCommand({
      modelId,
      system: [{ text: prompt.system }],
      messages: [{ role: 'user', content: [{ text: prompt.material }] }],
      inferenceConfig: { maxTokens: prompt.tokensMax, temperature: TEMPERATURE },
    }),
    { abortSignal: timeoutSignal() },
  );
  const text = (output?.message?.content ?? []).map((block) => block.text ?? '').join('');
  return { text, model: modelId };
};

const ChatCompletion = z.object({
  // Returned to the caller, hence bounded.
  model: z.string().max(MODEL_NAME_MAX).optional().catch(undefined),
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

const boundedText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > RESPONSE_BYTES_MAX) throw new Error('The response is too long.');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const generateWithCompatible = async (baseUrl: string, model: string, prompt: Prompt): Promise<Completion> => {
  const key = await secret('AI_API_KEY');
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    signal: timeoutSignal(),
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({
      model,
      max_tokens: prompt.tokensMax,
      temperature: TEMPERATURE,
      messages: [
        { role: 'system', content: prompt.system },
        { role: 'user', content: prompt.material },
      ],
    }),
  });
  const body = await boundedText(response);
  if (!response.ok) throw new Error(`The model server returned ${response.status}.`);
  const { choices, model: used } = ChatCompletion.parse(JSON.parse(body));
  return { text: choices[0]?.message.content ?? '', model: used ?? model };
};

/**
 * Generates text with the configured model: Amazon Bedrock, or a server with an OpenAI-compatible API.
 * @throws AI_UNAVAILABLE when no model is configured, or the request fails or times out.
 */
export const generateText = async (prompt: Prompt): Promise<Completion> => {
  const { ai } = environment();
  if (!ai) throw new AppError('AI_UNAVAILABLE', { message: 'No model is configured.' });
  try {
    return ai.baseUrl === undefined
      ? await generateWithBedrock(ai.model, prompt)
      : await generateWithCompatible(ai.baseUrl, ai.model, prompt);
  } catch (cause) {
    // Without the error's message, which may repeat the prompt.
    log.warn('language model failed', { error: loggable(cause) });
    throw new AppError('AI_UNAVAILABLE', {}, { cause });
  }
};
