import * as z from 'zod';
import type { AiRequest, AiResult } from '#contract/ai.ts';
import { AppError } from '#shared/errors.ts';
import { type Prompt, promptFor } from './prompts.ts';

/** What having something written takes. */
export interface AiPorts {
  readonly categorySlugs: () => Promise<readonly string[]>;
  /** @throws AI_UNAVAILABLE when no model is configured or it does not answer in time. */
  readonly askModel: (prompt: Prompt) => Promise<{ text: string; model: string }>;
}

const DESCRIPTION_MAX = 500;
const LONG_DESCRIPTION_MAX = 10_000;
const TAGS_MAX = 10;
const TAG_MAX = 40;

/** Cuts at a word, so that no half one is left. */
const shortened = (value: string, max: number): string => {
  const characters = [...value];
  if (characters.length <= max) return value;
  const cut = characters.slice(0, max).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace > max / 2 ? cut.slice(0, lastSpace) : cut).trim();
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** More than any answer of use has, in characters; patterns look at no more than this. */
const ANSWER_MAX = 20_000;

/** What is left of an answer without the markup that a model may add all the same. */
const plain = (value: string): string =>
  value
    .slice(0, ANSWER_MAX)
    .toWellFormed()
    .replace(CONTROLS, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/(\*\*|__|`+)/g, '')
    .trim()
    .replace(/^(["'“])([\s\S]*)(["'”])$/, '$2')
    .trim();

/** The JSON in an answer, also when it stands in a fence or between words. */
const jsonIn = (answer: string): unknown => {
  const start = answer.search(/[[{]/);
  const end = Math.max(answer.lastIndexOf(']'), answer.lastIndexOf('}'));
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(answer.slice(start, end + 1));
  } catch {
    // Whether what came is usable at all is for the schema to say.
    return undefined;
  }
};

const words = (max: number) => z.array(z.string().transform((word) => shortened(plain(word), max)));

const tidy = (list: readonly string[], max: number): string[] =>
  [...new Set(list.filter((word) => word !== ''))].slice(0, max);

const Tags = words(TAG_MAX).transform((tags) =>
  tidy(
    tags.map((tag) => tag.toLowerCase()),
    TAGS_MAX,
  ),
);

const Seo = z.object({
  title: z.string().transform((value) => shortened(plain(value), 70)),
  description: z.string().transform((value) => shortened(plain(value), 200)),
  keywords: words(TAG_MAX).transform((list) => tidy(list, TAGS_MAX)),
});

const checkedText = (answer: string, max: number): string => {
  const value = shortened(plain(answer), max);
  if (value === '') throw new AppError('AI_UNAVAILABLE', { message: 'The model gave no usable answer.' });
  return value;
};

const checkedJson = <S extends z.ZodType>(schema: S, answer: string): z.output<S> => {
  const parsed = schema.safeParse(jsonIn(answer));
  if (!parsed.success) throw new AppError('AI_UNAVAILABLE', { message: 'The model gave no usable answer.' });
  return parsed.data;
};

/** Has a text written, and lets nothing out that is not of the form asked for. @throws 503 */
export const generate = async (ports: AiPorts, request: AiRequest): Promise<AiResult> => {
  const allowed = request.type === 'categories' ? await ports.categorySlugs() : [];
  const { text, model } = await ports.askModel(promptFor(request, allowed));
  switch (request.type) {
    case 'description':
      return { type: request.type, text: checkedText(text, DESCRIPTION_MAX), model };
    case 'long_description':
      return { type: request.type, text: checkedText(text, LONG_DESCRIPTION_MAX), model };
    case 'tags':
      return { type: request.type, tags: checkedJson(Tags, text), model };
    case 'categories': {
      const suggested = checkedJson(words(100), text);
      return {
        type: request.type,
        categories: tidy(
          suggested.filter((slug) => allowed.includes(slug)),
          5,
        ),
        model,
      };
    }
    case 'seo':
      return { type: request.type, meta: checkedJson(Seo, text), model };
  }
};
