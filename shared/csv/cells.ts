import { stringify } from 'csv-stringify/sync';
import { trimmed } from '#contract/characters.ts';

/**
 * Writes records as CSV according to RFC 4180: commas, quotes where needed, CRLF after each record. Cells with
 * leading or trailing whitespace are quoted, because many readers trim unquoted cells.
 */
export const csvLines = (records: readonly (readonly string[])[]): string =>
  stringify(records as string[][], {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_match: /^\s|\s$/u,
  });

/**
 * First characters that spreadsheets treat as the start of a formula, in ASCII and in full width, and the apostrophe
 * that guards against it, so that `unguarded` restores the exact cell.
 */
const FORMULA_CHARACTERS = "=+\\-@＝＋－＠\\t\\r\\n'";

const FORMULA_START = new RegExp(`^[${FORMULA_CHARACTERS}]`, 'u');

/**
 * What a spreadsheet with another separator reads as the start of a cell: it splits the file at semicolons or tabs, and
 * removes spaces and quotes there. Both patterns run in linear time, because a match ends before the next separator.
 */
const INNER_START = '[;\\t][ "]*';
const INNER_FORMULA = new RegExp(`${INNER_START}(?=[${FORMULA_CHARACTERS}])`, 'gu');
const INNER_GUARD = new RegExp(`(${INNER_START})'(?=[${FORMULA_CHARACTERS}])`, 'gu');

/**
 * Prevents formula injection: adds a `'` to a cell where a spreadsheet would run a formula, which is at its start and
 * after each separator in it.
 */
export const guarded = (cell: string): string => {
  const inside = cell.replace(INNER_FORMULA, "$&'");
  return FORMULA_START.test(inside) ? `'${inside}` : inside;
};

/**
 * Removes the guards from a cell. Any other apostrophe, as in `'s Hertogenbosch`, belongs to the text and stays.
 */
export const unguarded = (cell: string): string => {
  const isGuarded = cell.startsWith("'") && FORMULA_START.test(cell.slice(1));
  return (isGuarded ? cell.slice(1) : cell).replace(INNER_GUARD, '$1');
};

/** The separator of list entries within a cell, unless a mapping sets another. */
const LIST_SEPARATOR = '|';

const ESCAPE = '\\';

/** Joins a list into one cell. A separator or a backslash in an entry is escaped with a backslash. */
export const joinList = (entries: readonly string[]): string =>
  entries
    .map((entry) => entry.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(LIST_SEPARATOR, ESCAPE + LIST_SEPARATOR))
    .join(LIST_SEPARATOR);

/**
 * Splits a cell into list entries, trimmed and without blank ones. A backslash escapes a separator or another
 * backslash; any other backslash is literal.
 */
export const splitList = (cell: string, separator: string): string[] => {
  if (!cell.includes(ESCAPE)) return withoutBlanks(cell.split(separator));
  const entries: string[] = [];
  let entry = '';
  for (let at = 0; at < cell.length; ) {
    const escaped = cell[at] === ESCAPE ? [separator, ESCAPE].find((text) => cell.startsWith(text, at + 1)) : undefined;
    if (escaped !== undefined) {
      entry += escaped;
      at += 1 + escaped.length;
    } else if (cell.startsWith(separator, at)) {
      entries.push(entry);
      entry = '';
      at += separator.length;
    } else {
      entry += cell[at];
      at += 1;
    }
  }
  return withoutBlanks([...entries, entry]);
};

const withoutBlanks = (entries: readonly string[]): string[] => entries.map(trimmed).filter((entry) => entry !== '');
