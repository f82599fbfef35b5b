import { parseArgs } from 'node:util';
import { makeAdmin, userIdsByEmail } from '#data/user-admin.ts';
import { openTable } from '#local/open-table.ts';
import { StartRefused } from '#local/refusal.ts';

const HELP = `npm run make-admin -- <email or id>

Makes a user an administrator, such as the first one. He must have been seen by the directory: sign in once before.

On one machine it works on the data folder (DATA_DIR, .data unless set), while the service runs or not. With TABLE_NAME
set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT names another engine.
  --help    this text`;

const fail = (message: string): void => {
  console.error(message);
  process.exitCode = 1;
};

const grant = async (who: string): Promise<void> => {
  const ids = who.includes('@') ? await userIdsByEmail(who) : [];
  // Some issuers' subjects look like addresses.
  const [id = who] = ids;
  if (ids.length > 1) fail(`Several users have the address ${who}: ${ids.join(', ')}. Name one by his id.`);
  else if (!(await makeAdmin(id))) fail(`The directory has not seen ${who} yet. Sign in once, then try again.`);
  else console.log(`${who} is an administrator now.`);
};

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
const [who, ...others] = positionals;

if (values.help) console.log(HELP);
else if (who === undefined || others.length > 0) fail(HELP);
else {
  try {
    const table = await openTable();
    try {
      await grant(who);
    } finally {
      await table.close();
    }
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    fail(error.message);
  }
}
