import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { AppError } from '#shared/errors.ts';
import { log } from './log.ts';
import { loggable } from './loggable.ts';
import { secret } from './secret.ts';
import { settings } from './settings.ts';

/** What a model is asked: its rules, and the material as a message of its own. */
export interface Question {
  readonly system: string;
  readonly material: string;
  readonly tokensMax: number;
}

/** What a model answered, and which one. */
export interface Answer {
  readonly text: string;
  readonly model: string;
}

/** How long a model may think, in milliseconds: what the gateway's 29 seconds leave. */
const TIMEOUT_MS = 25_000;
/** The longest answer that is read, in bytes. */
const ANSWER_BYTES_MAX = 256 * 1024;
const MODEL_NAME_MAX = 200;

let bedrock: BedrockRuntimeClient | undefined;

const askBedrock = async (modelId: string, question: Question): Promise<Answer> => {
  bedrock ??= new BedrockRuntimeClient({ maxAttempts: 2 });
  const answer = await bedrock.send(
    new ConverseCommand({
      modelId,
      system: [{ text: question.system }],
      messages: [{ role: 'user', content: [{ text: question.material }] }],
      inferenceConfig: { maxTokens: question.tokensMax, temperature: 0.3 },
    }),
    { abortSignal: AbortSignal.timeout(TIMEOUT_MS) },
  );
  const text = (answer.output?.message?.content ?? []).map((block) => block.text ?? '').join('');
  return { text, model: modelId };
};

const Completion = z.object({
  // It goes out with the answer, so it is bounded like the rest of it.
  model: z.string().max(MODEL_NAME_MAX).optional().catch(undefined),
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

const boundedText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too long');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const askCompatible = async (baseUrl: string, model: string, question: Question): Promise<Answer> => {
  const key = await secret('AI_API_KEY');
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({
      model,
      max_tokens: question.tokensMax,
      temperature: 0.3,
      messages: [
        { role: 'system', content: question.system },
        { role: 'user', content: question.material },
      ],
    }),
  });
  const body = await boundedText(response);
  if (!response.ok) throw new Error(`the model's server answered ${response.status}`);
  const { choices, model: used } = Completion.parse(JSON.parse(body));
  return { text: choices[0]?.message.content ?? '', model: used ?? model };
};

/**
 * Asks the configured model: Amazon Bedrock, or any server that speaks the OpenAI-compatible protocol.
 * @throws AI_UNAVAILABLE when none is configured, or it fails or does not answer in time.
 */
export const askModel = async (question: Question): Promise<Answer> => {
  const { ai } = settings();
  if (!ai) throw new AppError('AI_UNAVAILABLE', { message: 'No model is configured.' });
  try {
    return ai.baseUrl === undefined
      ? await askBedrock(ai.model, question)
      : await askCompatible(ai.baseUrl, ai.model, question);
  } catch (cause) {
    // What it said may repeat what it was asked.
    log.warn('the model did not answer', { ...loggable(cause) });
    throw new AppError('AI_UNAVAILABLE', {}, { cause });
  }
};
