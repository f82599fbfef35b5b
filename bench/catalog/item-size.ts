// Item sizes and capacity units by DynamoDB's rules.

const textBytes = (text: string): number => Buffer.byteLength(text);

/** One byte per two digits, plus one for sign and exponent. */
const numberBytes = (value: number): number => Math.ceil(String(value).replace(/[-.]|e.*/g, '').length / 2) + 1;

const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return numberBytes(value);
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, one) => sum + valueBytes(one) + 1, 0);
  if (typeof value === 'object' && value !== null) return 3 + itemBytes(value) + Object.keys(value).length;
  return 1;
};

/** The size of an item in bytes: attribute names and values. */
export const itemBytes = (item: object): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) => (value === undefined ? sum : sum + textBytes(name) + valueBytes(value)),
    0,
  );

const READ_BYTES = 4096;
const WRITE_BYTES = 1024;

/** Read units of one eventually consistent query. */
export const queryUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / READ_BYTES)) / 2;

/** Write units of one item, in the table or an index. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_BYTES));
