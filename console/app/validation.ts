import * as z from 'zod';
import { ApiError } from '../api.ts';
import * as strings from '../strings.ts';

// Compiled parsers are made with `new Function`, which the policy of the page forbids. Schemas look at this when they are
// created, so they are loaded after this module.
z.config({ jitless: true });

/**
 * Validates a body by the contract before it is sent.
 * @param load imports the schema.
 * @throws {ApiError} like the service, with a message per field.
 */
export const validate = async (load: () => Promise<z.ZodType>, body: unknown): Promise<void> => {
  const [{ checked }, schema] = [await import('#contract/fields.ts'), await load()];
  try {
    checked(schema, body);
  } catch (error) {
    throw new ApiError(400, { message: strings.errors.invalid, ...(error as { body: object }).body });
  }
};
