import * as z from 'zod';

/** Texts separated by commas; none when nothing is said. */
export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** An address of the web. */
export const webAddress = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), { error: 'must be an http or https address' });

/** A price in the smallest unit of the currency, from 1 to 99,999,999. */
export const price = z
  .string()
  .regex(/^[1-9]\d{0,7}$/, { error: "must be a whole number in the currency's smallest unit, such as 4900" })
  .transform(Number);

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

// Made once for all switches: what is made here is made at every start of every function.
/** A switch that is on unless it is switched off. */
export const onUnlessSaid = onOff.prefault('on');
/** A switch that is off unless it is switched on. */
export const offUnlessSaid = onOff.prefault('off');
