import { compress, type Encoding } from './compression.ts';

/** How a body goes over the wire. */
export type WireForm = Encoding | 'identity';

/** How much is kept, in bytes of bodies as they are sent and characters of their texts: one may be a hundred times the other. */
const KEPT_MAX = 16 * 1024 * 1024;

const kept = new Map<string, Partial<Record<WireForm, Buffer>>>();
let size = 0;

const keep = (text: string, form: WireForm, body: Buffer): void => {
  if (size + text.length + body.length > KEPT_MAX) {
    kept.clear();
    size = 0;
  }
  const forms = kept.get(text);
  size += body.length + (forms ? 0 : text.length);
  kept.set(text, { ...forms, [form]: body });
};

/**
 * The bytes of a body in one of its forms. Hot pages are the same text again and again, and compressing one takes longer
 * than finding it; so what was sent lately is kept, by its text: no other body can be taken for it.
 */
export const bytesOf = async (text: string, form: WireForm): Promise<Buffer> => {
  const known = kept.get(text)?.[form];
  if (known) return known;
  const plain = Buffer.from(text, 'utf8');
  const body = form === 'identity' ? plain : await compress(plain, form);
  keep(text, form, body);
  return body;
};
