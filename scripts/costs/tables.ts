/** Parts of the generated pages. */

/** An amount in dollars, with more digits below ten cents. */
export const dollars = (amount: number): string => amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2);

/** A count with separators; fractions have one digit. */
export const amount = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 100 && !Number.isInteger(value) ? 1 : 0 });

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table with text in the first column and numbers in the others. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
