import * as z from 'zod';
import { data } from './envelope.ts';
import { line, text, WebUrl } from './fields.ts';
import { defineRoute } from './route.ts';

export const AiType = z.enum(['description', 'long_description', 'tags', 'categories', 'seo']);
export type AiType = z.infer<typeof AiType>;

const AiRequest = z
  .object({
    type: AiType.default('description').describe('What to write.'),
    name: line(1, 100).describe('What the listing is called.'),
    url: WebUrl.optional().describe('A hint for the model. The service never fetches it.'),
    description: text(0, 2000).optional().describe('What is known already.'),
    keywords: z
      .array(line(1, 40))
      .max(20, { error: 'must have at most 20 entries' })
      .optional()
      .describe('Words that should play a part.'),
  })
  .meta({ id: 'AiRequest' });
export type AiRequest = z.infer<typeof AiRequest>;

const model = z.string().describe('The model that wrote it.');

/** What the model wrote, checked: nothing of it is markup. */
export const AiResult = z
  .discriminatedUnion('type', [
    z.object({ type: z.enum(['description', 'long_description']), text: z.string(), model }),
    z.object({ type: z.literal('tags'), tags: z.array(z.string()), model }),
    z.object({
      type: z.literal('categories'),
      categories: z.array(z.string()).describe('Slugs of existing categories.'),
      model,
    }),
    z.object({
      type: z.literal('seo'),
      meta: z.object({ title: z.string(), description: z.string(), keywords: z.array(z.string()) }),
      model,
    }),
  ])
  .meta({ id: 'AiResult' });
export type AiResult = z.infer<typeof AiResult>;

export const generate = defineRoute('ai.generate', {
  method: 'POST',
  path: '/api/ai/generate',
  summary: 'Have a text written',
  description: 'A suggestion for a person to look at: plain text, bounded, categories only from the existing ones.',
  auth: 'user',
  tier: 'submission',
  feature: 'ai',
  body: AiRequest,
  replies: { 200: data(AiResult) },
  failures: ['AI_UNAVAILABLE'],
  needs: ['table:query', 'model'],
  timeoutSeconds: 29,
});
