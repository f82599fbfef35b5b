import * as z from 'zod';
import { blankAsAbsent, data, line, optionalList, text } from './fields.ts';
import { defineRoute } from './route.ts';
import { WebUrl } from './web-addresses.ts';

export const AiType = z.enum(['description', 'long_description', 'tags', 'categories', 'seo']);
export type AiType = z.infer<typeof AiType>;

const AiRequest = z
  .object({
    type: AiType.default('description').describe('The kind of text to generate.'),
    name: line(1, 100).describe('The name of the listing.'),
    url: blankAsAbsent(WebUrl).describe('Context for the model; the service never fetches it.'),
    description: blankAsAbsent(text(1, 2000)).describe('An existing description, as context.'),
    keywords: optionalList(z.array(line(1, 40)).max(20)).describe('Keywords to include.'),
  })
  .meta({ id: 'AiRequest' });
export type AiRequest = z.infer<typeof AiRequest>;

const model = z.string().describe('The model that generated the result.');

/** The validated result; plain text without markup. */
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
  summary: 'Generate text',
  description:
    'A suggestion for a person to review: plain text of bounded length; categories are chosen from existing ones.',
  auth: 'user',
  tier: 'submission',
  feature: 'ai',
  body: AiRequest,
  responses: { 200: data(AiResult) },
  failures: ['AI_UNAVAILABLE'],
  permissions: ['table:query', 'model'],
  reservedConcurrency: 10,
  timeoutSeconds: 29,
});
