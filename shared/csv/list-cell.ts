/** What stands between the entries of a list in one cell, unless a mapping says otherwise. */
const LIST_SEPARATOR = '|';

const ESCAPE = '\\';

/** A list as one cell. A separator or a backslash inside an entry gets a backslash before it. */
export const joinList = (entries: readonly string[]): string =>
  entries
    .map((entry) => entry.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(LIST_SEPARATOR, ESCAPE + LIST_SEPARATOR))
    .join(LIST_SEPARATOR);

/**
 * The entries of a list in one cell, trimmed, without blank ones. A backslash before a separator or before another
 * backslash makes it part of the entry; any other backslash is one.
 */
export const splitList = (cell: string, separator: string): string[] => {
  if (!cell.includes(ESCAPE)) return withoutBlanks(cell.split(separator));
  const entries: string[] = [];
  let entry = '';
  for (let at = 0; at < cell.length; ) {
    const escaped = cell[at] === ESCAPE ? [separator, ESCAPE].find((one) => cell.startsWith(one, at + 1)) : undefined;
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

const withoutBlanks = (entries: readonly string[]): string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
