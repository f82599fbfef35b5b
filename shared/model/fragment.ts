import type * as z from 'zod';
import { parse } from '#contract/fields.ts';
import { digest } from './entity-tag.ts';

/** The JSON of a member, as the schema of its object declares it; undefined when it is absent. */
export const memberText = (schema: z.ZodObject, name: string, value: unknown): string | undefined => {
  const member = schema.shape[name];
  if (!member) throw new Error(`The schema does not declare ${name}.`);
  const text = JSON.stringify(parse(member, value));
  return text && `${JSON.stringify(name)}:${text}`;
};

/** Characters that V8 cannot store in one byte. */
const BEYOND_LATIN1 = /[^\0-\xff]/g;
/** A text with more of such characters, relative to its length, would become much longer by escapes. */
const ESCAPED_SHARE_MAX = 0.02;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes a few characters beyond Latin-1, such as typographic quotes and emoji. One of them in a page of listings doubles the memory of
 * the page and triples the time to join it and write it to a socket.
 */
const inOneByte = (json: string): string => {
  const beyond = json.match(BEYOND_LATIN1);
  return beyond && beyond.length <= json.length * ESCAPED_SHARE_MAX ? json.replace(BEYOND_LATIN1, escaped) : json;
};

/**
 * An object that is serialized once and becomes a part of many responses. It can only be made through a schema, which
 * removes undeclared members.
 */
export class Fragment<T extends object = object> {
  readonly schema: z.ZodObject;
  /** JSON. */
  readonly text: string;
  /** Stands for the text in the ETag of a response. */
  readonly tag: string;

  private constructor(schema: z.ZodObject, text: string) {
    this.schema = schema;
    this.text = inOneByte(text);
    this.tag = digest(this.text);
  }

  /** @throws Error when the value does not match the schema. */
  static of<T extends object>(schema: z.ZodObject & z.ZodType<object, T>, value: T): Fragment<T> {
    return new Fragment(schema, JSON.stringify(parse(schema, value)));
  }

  /** The fragment with more members of its schema, which follow the others. @throws Error when they do not match it. */
  with(members: Partial<T>): Fragment<T> {
    const added = Object.entries(members).map(([name, value]) => memberText(this.schema, name, value));
    return new Fragment(this.schema, `${[this.text.slice(0, -1), ...added].join(',')}}`);
  }
}
