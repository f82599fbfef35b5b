import { indexLedgers } from '#data/ledger-index.ts';
import { indexCommand } from './index-command.ts';
import { fail } from './on-table.ts';

const DESCRIPTION = `npm run index-ledgers

Completes the index of the event ledger and the audit log by user. Entries are indexed when they are written; this adds
those of a version without the index, and events about a project to the index by project, which the filter by subject
reads. Run it once after the upgrade from such a version, and after each rollback to one.
Until then exports of users say that their ledgers are incomplete, and an erasure reads both ledgers whole.

Costs one read unit per 4 KB of the ledgers, and about 4 write units per entry that is added. Safe to interrupt, to repeat
and to run beside the service.`;

await indexCommand(DESCRIPTION, async () => {
  const { indexed, changed } = await indexLedgers();
  console.log(`Indexed entries: ${indexed}.`);
  if (changed > 0) fail(`${changed} entries changed at the same time. Run the command again.`);
});
