import { log } from '#platform/log.ts';
import { dataDirOf } from './environment.ts';
import { StartRefused } from './refusal.ts';
import { seed } from './seed.ts';
import { startWorld, type World } from './world.ts';

const HELP = `Runs the whole directory service on this machine: the HTTP interface, its database, events, mail and logins.
Needs Node and nothing else, listens on the loopback only, and keeps its data between runs.

  npm start                 starts it; Ctrl-C ends it

Settings are environment variables:
  PORT=3000                 where to listen
  DATA_DIR=.data            where the data is kept; remove the folder to begin anew
  LOG_LEVEL=WARN            INFO shows a line per request

  RATE_LIMIT_<TIER>=n/s     requests per window of seconds: GENERAL, VOTING, AUTH, SUBMISSION, ADMIN, ANALYTICS, COMMENTS
  FEATURE_<NAME>=on|off     COMMENTS, RATINGS, MAP, AI, EMAIL, ANALYTICS, PROMOTIONS, WEBHOOKS
  ADMIN_EMAILS=a@b,c@d      whose owners become administrators when they are first seen
  ALLOWED_ORIGINS=https…    origins whose pages may call with credentials, separated by commas
  TRUSTED_PROXIES=…         address ranges whose X-Forwarded-For is believed (127.0.0.0/8,::1)
  DUPLICATE_URLS=reject     no two listings may have the same address (allow)
  WEBHOOK_ALLOW_PRIVATE=on  webhooks may lead to this machine, also over http (off)
  CRON_SECRET=…             what the jobs at /api/cron/ are called with (local-cron-secret)

  SITE_NAME=Directory       what mails call the directory; SITE_URL=http… where their links lead; MAIL_FROM=… who they come from
  OIDC_ISSUER=https…        believes tokens of this issuer in place of those made here; with OIDC_JWKS_URI=… where its keys are
                            and OIDC_AUDIENCES=a,b whom they must be made for
  AI_MODEL=…                the model that writes for users, with FEATURE_AI=on: of Amazon Bedrock, or of the OpenAI-compatible
                            server at AI_BASE_URL=http…, called with AI_API_KEY=…

  PREMIUM_PRICE=4900        what the premium plan costs, in the smallest unit of CURRENCY=usd
  PROMOTION_PRICE_<PLACE>=n what a month of promotion costs: BANNER, CATALOG, DETAIL
  PROMOTION_SLOTS_<PLACE>=n how many promotions stand there at a time (BANNER 1, others unlimited)
  CHECKOUT_SUCCESS_URL=…    where the payment page sends its buyer, {checkout} being the id; CHECKOUT_CANCEL_URL likewise
  STRIPE_SECRET_KEY=sk_…    Stripe itself in place of the rehearsal of payments; STRIPE_API_BASE=http… a mock of it
  STRIPE_WEBHOOK_SECRET=…   what Stripe's events are signed with (whsec_local)

  DYNAMODB_ENDPOINT=http…   another DynamoDB-compatible engine in place of the embedded one
  DYNOXIDE_BIN=…            the embedded engine's binary, where no package has one for this platform
  RATE_LEASE_MAX=256        how many requests of a caller are counted ahead; 1 counts each by itself, as a function does
  STAGE=local               what the health route calls this environment
`;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

const portOf = (value: string | undefined): number => {
  const port = Number(value || 3000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartRefused(`PORT is ${value}, which is not a number from 0 to 65535.`);
};

/** Signals this close together are one: a whole group of processes is asked, and some pass on what they get. */
const TOGETHER_MS = 500;

/** Ends the world when asked to, and the process with it; whoever asks once more does not want to wait. */
const endOnSignal = (world: Promise<World>): void => {
  let askedAt: number | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt > TOGETHER_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    askedAt = performance.now();
    console.log('\nEnding. Once more to end at once.');
    try {
      await (await world).stop();
      process.exit(0);
    } catch (error) {
      // A start that failed has already said why.
      if (!(error instanceof StartRefused)) console.error(error);
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(signal));
  // The script that started this process is gone.
  if (process.channel) process.on('disconnect', () => void end('SIGTERM'));
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(HELP);
    return;
  }
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new StartRefused(
      `This is Node ${process.version}, but 22.18 or later is needed. \`npm start\` brings its own.`,
    );
  }
  // A fault in one handler must not take the others along, as it would not in Lambda either.
  process.on('unhandledRejection', (error) =>
    log.error('a promise was rejected and nobody looked', { error: error as Error }),
  );

  const dataDir = dataDirOf(process.env);
  const starting = startWorld({ port: portOf(process.env.PORT), dataDir, seed, schedules: true });
  endOnSignal(starting);
  const { url } = await starting;
  console.log(`
  The directory is at ${url}

  API reference   ${url}/docs
  Inbox           ${url}/_local/mail
  Events          ${url}/_local/events
  A token         curl ${url}/_local/token -H 'content-type: application/json' -d '{"email":"you@example.com","admin":true}'

  Data is kept in ${dataDir}. Ctrl-C ends it.
`);
};

try {
  await main();
} catch (error) {
  console.error(error instanceof StartRefused ? error.message : error);
  process.exit(1);
}
