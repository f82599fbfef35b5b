import { findSuppression, unsuppressAddress } from '#data/mail-suppression.ts';
import { argumentsOf, fail, onTable } from './on-table.ts';

const HELP = `npm run allow-mail -- <address>

Removes the suppression of an email address. The service suppresses an address after a permanent bounce or a complaint.
Remove the suppression only when the owner of the address asks for email and the mailbox works: more bounces and
complaints harm the delivery of all other email.

SES has a suppression list of its own for the whole account. On AWS, remove the address from that list too:
  aws sesv2 delete-suppressed-destination --email-address <address>

Locally the command works on the data folder (DATA_DIR, .data unless set), while the service is running or stopped. With
TABLE_NAME set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT sets
another endpoint.
  --show    only show whether the address is suppressed, why and since when
  --help    this text`;

const unsuppress = async (address: string, onlyShow: boolean): Promise<void> => {
  const suppression = await findSuppression(address);
  if (!suppression) {
    console.log(`${address} is not suppressed.`);
    return;
  }
  const cause = `because of a ${suppression.reason} on ${suppression.since.slice(0, 10)}`;
  if (onlyShow) {
    console.log(`${address} is suppressed ${cause}.`);
    return;
  }
  await unsuppressAddress(address);
  console.log(`${address} is no longer suppressed. It was suppressed ${cause}.`);
};

const given = argumentsOf(HELP, { show: { type: 'boolean', default: false } });
const [address, ...others] = given?.positionals ?? [];

if (given && (!address?.includes('@') || others.length > 0)) fail(HELP);
else if (given && address !== undefined) await onTable(() => unsuppress(address, given.values.show));
