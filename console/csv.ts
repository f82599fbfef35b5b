type Cell = string | number;

/**
 * As in the service's export: where a spreadsheet would run a formula, also one with another separator, which splits cells at
 * semicolons and tabs, a cell gets an apostrophe.
 */
const FORMULA_CHARACTERS = "=+\\-@＝＋－＠\\t\\r\\n'";
const FORMULA_START = new RegExp(`^[${FORMULA_CHARACTERS}]`, 'u');
const INNER_FORMULA = new RegExp(`[;\\t][ "]*(?=[${FORMULA_CHARACTERS}])`, 'gu');

const guarded = (cell: string): string => {
  const inside = cell.replace(INNER_FORMULA, "$&'");
  return FORMULA_START.test(inside) ? `'${inside}` : inside;
};

/** Many readers trim cells without quotes. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/u;

const cellOf = (cell: Cell): string => {
  if (typeof cell === 'number') return String(cell);
  const text = guarded(cell);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One cell of a list, as in the service's export: a separator or a backslash in an entry is escaped. */
export const joinList = (entries: readonly string[]): string =>
  entries.map((entry) => entry.replaceAll(/[\\|]/g, '\\$&')).join('|');

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
