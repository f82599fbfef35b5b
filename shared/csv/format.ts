import { stringify } from 'csv-stringify/sync';

/**
 * Some records as CSV as RFC 4180 has it: commas, quotes where they are needed, CRLF at the end of each line. Whitespace at
 * either end of a cell is quoted, because readers like to take it off.
 */
export const csvLines = (records: readonly (readonly string[])[]): string =>
  stringify(records as string[][], {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_match: /^\s|\s$/u,
  });
