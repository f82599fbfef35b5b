import * as z from 'zod';
import { invalidFields } from '#shared/errors.ts';

const explain = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : undefined;

/** Checks a value against a schema. @throws 400 with the messages of every wrong field. */
export const checked = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value, { error: explain });
  if (!parsed.success) throw invalidFields(z.formatError(parsed.error));
  return parsed.data;
};
