import { indexUrls } from '#data/url-index.ts';
import { indexCommand } from './index-command.ts';

const DESCRIPTION = `npm run index-urls

Completes the index of listings by URL, which finds possible duplicates and, with DUPLICATE_URLS=reject, listings that
have a URL already. Listings are indexed when they are written; this adds those of a version without the index. Run it
once after the upgrade from such a version, and after each rollback to one. Until then single reads and changes of a
listing do not find those of earlier versions; lists do.

Reads the whole catalog and two items per listing, and writes 5 units per listing that is added. Safe to interrupt, to
repeat and to run beside the service.`;

await indexCommand(DESCRIPTION, async () => {
  console.log(`Indexed listings: ${await indexUrls()}.`);
});
