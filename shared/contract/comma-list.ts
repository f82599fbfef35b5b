const COMMA_IN_VALUE = '\\,';

const BETWEEN_COMMAS = /(?:\\,|[^,])+/g;

/** The values of a list, without blank ones. A comma inside a value is written `\,`; other backslashes stand for themselves. */
export const splitAtCommas = (list: string): string[] =>
  (list.match(BETWEEN_COMMAS) ?? [])
    .map((value) => value.replaceAll(COMMA_IN_VALUE, ',').trim())
    .filter((value) => value !== '');

/** The list that `splitAtCommas` reads. A blank keeps a backslash at the end of a value from the comma after it. */
export const joinWithCommas = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(',', COMMA_IN_VALUE).replace(/\\$/, '\\ ')).join(',');
