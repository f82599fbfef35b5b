import { parseArgs } from 'node:util';
import { indexComments } from '#data/comment-index.ts';
import { fail, onTable } from './on-table.ts';

const HELP = `npm run index-comments

Completes the index of all comments, which administrators list. Comments are indexed when they are written; this adds those
of a version without the index. Run it once after the upgrade from such a version, and after each rollback to one. Until
then administrators find these comments by project and by user only.

Reads the whole catalog and all comments, and writes 2 units per comment that is added. Safe to interrupt, to repeat and
to run beside the service.

Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --help    this text`;

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });

if (values.help) console.log(HELP);
else if (positionals.length > 0) fail(HELP);
else await onTable(async () => console.log(`Indexed comments: ${await indexComments()}.`));
