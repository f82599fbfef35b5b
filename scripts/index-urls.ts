import { parseArgs } from 'node:util';
import { indexUrls } from '#data/url-index.ts';
import { fail, onTable } from './on-table.ts';

const HELP = `npm run index-urls

Completes the index of listings by URL, which finds possible duplicates and, with DUPLICATE_URLS=reject, listings that
have a URL already. Listings are indexed when they are written; this adds those of a version without the index. Run it
once after the upgrade from such a version, and after each rollback to one. Until then single reads and changes of a
listing do not find those of earlier versions; lists do.

Reads the whole catalog and two items per listing, and writes 5 units per listing that is added. Safe to interrupt, to
repeat and to run beside the service.

Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --help    this text`;

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });

if (values.help) console.log(HELP);
else if (positionals.length > 0) fail(HELP);
else await onTable(async () => console.log(`Indexed listings: ${await indexUrls()}.`));
