import * as z from 'zod';
import { errorCodes } from '#shared/errors.ts';

/** The success body of everything but the map feed. */
export const data = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** Where a page stands in its list. */
export const PageMeta = z
  .object({
    total: z.int().min(0).describe('How many there are in all pages together; exact.'),
    page: z.int().min(1).describe('The number of this page, from 1.'),
    pageSize: z.int().min(1).max(100).describe('How many items a full page has.'),
    hasMore: z.boolean().describe('Whether another page follows.'),
  })
  .meta({ id: 'PageMeta' });
export type PageMeta = z.infer<typeof PageMeta>;

/** The success body of every paged list. */
export const page = <T extends z.ZodType>(schema: T) => z.object({ data: z.array(schema), meta: PageMeta });

/** The body of every failure. */
export const ErrorBody = z
  .looseObject({
    error: z.string().describe('The fixed text of the status.'),
    code: z.enum(errorCodes).describe('What exactly went wrong, for programs.'),
    message: z.string().optional().describe('A sentence for the developer who reads it.'),
    details: z
      .looseObject({ _errors: z.array(z.string()) })
      .optional()
      .describe('On 400: messages per field, each field an object with `_errors`; array positions nest by index.'),
    retryAfter: z.int().min(1).optional().describe('On 429: whole seconds until the next try can succeed.'),
    parts: z
      .record(z.string(), z.string())
      .optional()
      .describe('On `UNHEALTHY`: every part that was asked and `ok`, `failed` or `timeout`.'),
    checked_at: z.iso.datetime().optional().describe('On `UNHEALTHY`: when the parts were asked.'),
    request_id: z.string().optional().describe('On 500: what to quote when asking for help.'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;
