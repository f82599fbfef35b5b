import { parseArgs } from 'node:util';
import { allowMail } from '#data/mail-returns.ts';
import { findMailStop } from '#data/mail-stops.ts';
import { openTable } from '#local/open-table.ts';
import { StartRefused } from '#local/refusal.ts';

const HELP = `npm run allow-mail -- <address>

Lets an address have mail again that mail came back from, or whose owner complained. The service stopped writing to it by
itself; do this when its owner says that he wants mail and that his mailbox works, for more mail that comes back or is
complained of harms the delivery of all other mail.

SES keeps a list of its own, for the whole account. Deployed, take the address off that one too:
  aws sesv2 delete-suppressed-destination --email-address <address>

On one machine it works on the data folder (DATA_DIR, .data unless set), while the service runs or not. With TABLE_NAME
set it works on that table, with the AWS credentials and the region of this shell; DYNAMODB_ENDPOINT names another engine.
  --show    only say whether mail is stopped, why and since when
  --help    this text`;

const fail = (message: string): void => {
  console.error(message);
  process.exitCode = 1;
};

const allow = async (address: string, onlyShow: boolean): Promise<void> => {
  const stop = await findMailStop(address);
  if (!stop) {
    console.log(`${address} gets mail: nothing was stopped.`);
    return;
  }
  const story = `because of a ${stop.reason} on ${stop.since.slice(0, 10)}`;
  if (onlyShow) {
    console.log(`${address} gets no mail ${story}.`);
    return;
  }
  await allowMail(address);
  console.log(`${address} gets mail again. It had none ${story}.`);
};

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' }, show: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [address, ...others] = positionals;

if (values.help) console.log(HELP);
else if (!address?.includes('@') || others.length > 0) fail(HELP);
else {
  try {
    const table = await openTable();
    try {
      await allow(address, values.show);
    } finally {
      await table.close();
    }
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    fail(error.message);
  }
}
