import * as z from 'zod';

/** A member of a body with its path, such as `projects.submit.name`. */
export type Member = readonly [path: string, schema: z.ZodType];

/** The members of all objects in a body, and the entries of its lists. */
export const membersOf = (schema: z.core.$ZodType | undefined, path: string): Member[] => {
  if (schema instanceof z.ZodArray) {
    const entry = `${path}[]`;
    return [[entry, schema.element as z.ZodType], ...membersOf(schema.element, entry)];
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => membersOf(option, path));
  if (schema instanceof z.ZodPipe) return membersOf(schema.in, path);
  if (schema instanceof z.ZodRecord) return membersOf(schema.valueType, `${path}{}`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return membersOf(schema.unwrap(), path);
  }
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, member]): Member[] => [
    [`${path}.${name}`, member],
    ...membersOf(member, `${path}.${name}`),
  ]);
};
