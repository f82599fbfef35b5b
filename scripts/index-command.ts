import { parseArgs } from 'node:util';
import { fail, onTable } from './on-table.ts';

const TABLE = `Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --help    this text`;

/**
 * Runs a command without arguments that completes what the table of an earlier version lacks.
 * @param description what it does and costs; the choice of the table is added.
 */
export const indexCommand = async (description: string, complete: () => Promise<void>): Promise<void> => {
  const help = `${description}\n\n${TABLE}`;
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  if (values.help) console.log(help);
  else if (positionals.length > 0) fail(help);
  else await onTable(complete);
};
