/** From this score on, two listings are probably the same. */
export const LIKELY_DUPLICATE = 0.5;
