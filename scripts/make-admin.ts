import { makeAdmin, userIdsByEmail } from '#data/users.ts';
import { argumentsOf, fail, onTable } from './on-table.ts';

const HELP = `npm run make-admin -- <email or id>

Makes a user an administrator, such as the first one. The user must have signed in once; an address must be verified.

Uses the data folder of a single machine (DATA_DIR, default .data), with the service running or stopped. With TABLE_NAME
set, uses that table with the AWS credentials and region of this shell; DYNAMODB_ENDPOINT overrides the endpoint.
  --help    print this text`;

const grant = async (emailOrId: string): Promise<void> => {
  const ids = emailOrId.includes('@') ? await userIdsByEmail(emailOrId) : [];
  // Ids of some issuers contain an @ too.
  const [id = emailOrId] = ids;
  if (ids.length > 1) fail(`Several users have the address ${emailOrId}: ${ids.join(', ')}. Use an id.`);
  else if (!(await makeAdmin(id)))
    fail(`${emailOrId} has not signed in yet, or only with an unverified address. Sign in once, then try again.`);
  else console.log(`${emailOrId} is an administrator now.`);
};

const given = argumentsOf(HELP, {});
const [emailOrId, ...others] = given?.positionals ?? [];

if (given && (emailOrId === undefined || others.length > 0)) fail(HELP);
else if (emailOrId !== undefined) await onTable(() => grant(emailOrId));
