import { parseArgs } from 'node:util';
import { indexLedgers } from '#data/ledger-index.ts';
import { fail, onTable } from './on-table.ts';

const HELP = `npm run index-ledgers

Completes the index of the event ledger and the audit log by user. Entries are indexed when they are written; this adds
those of a version without the index, and events about a project to the index by project, which the filter by subject
reads. Run it once after the upgrade from such a version, and after each rollback to one.
Until then exports of users say that their ledgers are incomplete, and an erasure reads both ledgers whole.

Costs one read unit per 4 KB of the ledgers, and about 4 write units per entry that is added. Safe to interrupt, to repeat
and to run beside the service.

Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --help    this text`;

const complete = async (): Promise<void> => {
  const { indexed, changed } = await indexLedgers();
  console.log(`Indexed entries: ${indexed}.`);
  if (changed > 0) fail(`${changed} entries changed at the same time. Run the command again.`);
};

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });

if (values.help) console.log(HELP);
else if (positionals.length > 0) fail(HELP);
else await onTable(complete);
