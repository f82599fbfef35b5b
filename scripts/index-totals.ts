import { indexTotals } from '#data/totals-index.ts';
import { indexCommand } from './index-command.ts';

const DESCRIPTION = `npm run index-totals

Completes the numbers for administrators (GET /api/admin/summary, GET /api/admin/payments) with payments, suppressed
addresses and waiting promotions of a version that did not count them. Run it once after the upgrade from such a version,
and after each rollback to one.

Reads all users, and the suppression of each address and the payments of each. Safe to interrupt, to repeat and to run
beside the service.`;

await indexCommand(DESCRIPTION, async () => {
  const { payments, suppressions, promotions } = await indexTotals();
  console.log(
    `Counted payments: ${payments}. Suppressed addresses: ${suppressions}. Waiting promotions: ${promotions}.`,
  );
});
