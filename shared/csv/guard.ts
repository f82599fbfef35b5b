/**
 * What a spreadsheet may take for the beginning of a formula, in plain and in full width, and the guard itself, so that
 * taking it off again gives back exactly what was there.
 */
const RISKY = /^[=+\-@＝＋－＠\t\r\n']/u;

/** A cell of text that no spreadsheet runs: with a leading `'` where it would begin like a formula. */
export const guarded = (cell: string): string => (RISKY.test(cell) ? `'${cell}` : cell);

/** A cell without its guard. An apostrophe that guards nothing, as in `'s Hertogenbosch`, belongs to the text and stays. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && RISKY.test(cell.slice(1)) ? cell.slice(1) : cell;
