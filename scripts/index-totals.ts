import { parseArgs } from 'node:util';
import { indexTotals } from '#data/totals-index.ts';
import { fail, onTable } from './on-table.ts';

const HELP = `npm run index-totals

Completes the numbers for administrators (GET /api/admin/summary, GET /api/admin/payments) with payments, suppressed
addresses and waiting promotions of a version that did not count them. Run it once after the upgrade from such a version, and after each rollback to one.

Reads all users, and the suppression of each address and the payments of each. Safe to interrupt, to repeat and to run beside the service.

Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --help    this text`;

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });

if (values.help) console.log(HELP);
else if (positionals.length > 0) fail(HELP);
else {
  await onTable(async () => {
    const { payments, suppressions, promotions } = await indexTotals();
    console.log(
      `Counted payments: ${payments}. Suppressed addresses: ${suppressions}. Waiting promotions: ${promotions}.`,
    );
  });
}
