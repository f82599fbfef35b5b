import { randomBytes } from 'node:crypto';
import type { Key } from './keys.ts';
import { findItem } from './read.ts';
import { absent, putItem } from './write.ts';

const SALT_BYTES = 32;

/** A salt for each day, shared by all processes and created by the first. */
export class DaySalt {
  readonly #keyOf: (day: string) => Key;
  readonly #expiryOf: (day: string) => number;
  #known: { readonly day: string; readonly value: string } | undefined;

  /** @param expiryOf when the salt of a day expires, in seconds since the epoch. */
  constructor(keyOf: (day: string) => Key, expiryOf: (day: string) => number) {
    this.#keyOf = keyOf;
    this.#expiryOf = expiryOf;
  }

  async of(day: string): Promise<string> {
    if (this.#known?.day === day) return this.#known.value;
    const key = this.#keyOf(day);
    let value = (await findItem(key))?.salt as string | undefined;
    if (value === undefined) {
      const created = randomBytes(SALT_BYTES).toString('base64url');
      const isFirst = await putItem({ ...key, type: 'salt', salt: created, ttl: this.#expiryOf(day) }, absent);
      value = isFirst ? created : ((await findItem(key))?.salt as string);
    }
    this.#known = { day, value };
    return value;
  }
}
