import { indexComments } from '#data/comment-index.ts';
import { indexCommand } from './index-command.ts';

const DESCRIPTION = `npm run index-comments

Completes the index of all comments, which administrators list. Comments are indexed when they are written; this adds those
of a version without the index. Run it once after the upgrade from such a version, and after each rollback to one. Until
then administrators find these comments by project and by user only.

Reads the whole catalog and all comments, and writes 2 units per comment that is added. Safe to interrupt, to repeat and
to run beside the service.`;

await indexCommand(DESCRIPTION, async () => {
  console.log(`Indexed comments: ${await indexComments()}.`);
});
