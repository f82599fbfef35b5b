import { freshConsole } from '#lib/console.ts';
import { log } from '#platform/log.ts';
import { dataDirOf } from './environment.ts';
import { seed } from './seed.ts';
import { type LocalServer, startLocalServer } from './server.ts';
import { StartupError } from './startup-error.ts';
import { warmUp } from './warm-up.ts';

const HELP = `Runs the whole directory service on this machine: HTTP API, database, events, mail, payments and logins.
Requires only Node, listens on the loopback interface only, and keeps its data between runs.

  npm start                 starts the service; Ctrl-C stops it

Settings are environment variables, shown with their defaults or an example:
  PORT=3000                 port to listen on
  DATA_DIR=.data            data folder; delete it to start with an empty directory
  SAMPLE_DATA=on            off begins without sample categories and listings
  LOG_LEVEL=WARN            INFO logs each request

  RATE_LIMIT_<TIER>=n/s     requests per window in seconds: GENERAL, VOTING, AUTH, SUBMISSION, ADMIN, ANALYTICS, COMMENTS
  FEATURE_<NAME>=on|off     COMMENTS, RATINGS, MAP, AI, EMAIL, ANALYTICS, PROMOTIONS, WEBHOOKS,
                            MODERATORS
  ADMIN_EMAILS=a@b,c@d      users with these addresses become administrators at their first request
  ALLOWED_ORIGINS=https…    origins that may send requests with credentials, separated by commas
  HTTPS_ONLY=on             sends Strict-Transport-Security, for a proxy in front that speaks https (off)
  TRUSTED_PROXIES=…         address ranges of proxies whose X-Forwarded-For is trusted (127.0.0.0/8,::1)
  DUPLICATE_URLS=reject     rejects a listing whose URL is already listed (allow)
  LIVE_EDITS=review         edits of live listings by their owners wait for approval; review_material: only those of name,
                            URL, slug, logo and categories (immediate)
  WEBHOOK_ALLOW_PRIVATE=on  allows webhooks to this machine and over http (off)
  API_KEY_PEPPER=…          key of the digests of API keys (random, in the data folder); a new one invalidates all API keys
  CRON_SECRET=…             bearer token for the jobs at /api/cron/ (local-cron-secret); empty: no calls of jobs
  LOCAL_SCHEDULES=off       runs no job by its schedule (on)

  SITE_NAME=Directory       name of the directory in mails; SITE_URL=http…: base URL of links in mails; MAIL_FROM=…: sender
  OIDC_ISSUER=https…        accepts tokens of this issuer instead of local ones; with OIDC_JWKS_URI=… for its keys and
                            OIDC_AUDIENCES=a,b for accepted audiences
  SIGN_IN_CLIENT_ID=…       client with which a browser signs in at that issuer, in the public settings; addresses that its
                            discovery document lacks: SIGN_IN_AUTHORIZATION_URL, SIGN_IN_TOKEN_URL, SIGN_IN_END_SESSION_URL
  AI_MODEL=…                language model for FEATURE_AI=on: a model of Amazon Bedrock, or of the OpenAI-compatible
                            server at AI_BASE_URL=http… with the key AI_API_KEY=…

  PREMIUM_PRICE=4900        price of the premium plan, in the smallest unit of CURRENCY=usd
  PROMOTION_PRICE_<PLACEMENT>=n   price of a promotion per month: BANNER, CATALOG, DETAIL
  PROMOTION_SLOTS_<PLACEMENT>=n   number of concurrent promotions (BANNER 1, others unlimited)
  CHECKOUT_SUCCESS_URL=…    where the payment page redirects after payment, with {checkout} for the id;
                            CHECKOUT_CANCEL_URL=… after cancelling
  STRIPE_SECRET_KEY=sk_…    uses Stripe instead of the local mock; STRIPE_API_BASE=http…: another mock of it
  STRIPE_WEBHOOK_SECRET=…   signing secret of Stripe's webhooks (whsec_local); empty: none are accepted

  DYNAMODB_ENDPOINT=http…   uses another DynamoDB-compatible engine instead of the embedded one
  DYNOXIDE_BIN=…            binary of the embedded engine, for platforms without a package
  RATE_COUNTER_TIMEOUT_MS=300
                            milliseconds until a request passes without an answer of its rate counter
  TABLE_TIMEOUT_MS=5000     milliseconds until a request to the table is repeated, at most 30000
  RATE_PREFETCH_MAX=256     requests per caller counted in advance; 1 counts each request individually, as deployed
  STAGE=local               name of this environment in the health route
`;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

const portOf = (value: string | undefined): number => {
  const port = Number(value || 3000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartupError(`PORT is ${value}. It must be a number from 0 to 65535.`);
};

/**
 * Signals within this time count as one, in milliseconds: Ctrl-C signals the whole process group, and parents forward it.
 */
const SAME_SIGNAL_MS = 500;

/** Stops the server and the process on a signal; a second signal exits immediately. */
const stopOnSignal = (server: Promise<LocalServer>): void => {
  let firstSignalAt: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (firstSignalAt !== undefined) {
      if (performance.now() - firstSignalAt > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    firstSignalAt = performance.now();
    console.log('\nStopping. Press Ctrl-C again to exit immediately.');
    try {
      await (await server).stop();
      process.exit(0);
    } catch (error) {
      // A failed start has printed its message already.
      if (!(error instanceof StartupError)) console.error(error);
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
  // The parent script has ended.
  if (process.channel) process.on('disconnect', () => void stop('SIGTERM'));
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(HELP);
    return;
  }
  if (major < 22 || (major === 22 && minor < 18)) {
    throw new StartupError(
      `Node 22.18 or later is required; this is ${process.version}. Run \`npm start\`, which uses the Node of the project.`,
    );
  }
  // As in Lambda, a fault in one handler must not end the others.
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error: error as Error }));

  const dataDir = dataDirOf(process.env);
  await freshConsole();
  const starting = startLocalServer({ port: portOf(process.env.PORT), dataDir, seed, schedules: true });
  stopOnSignal(starting);
  const { url } = await starting;
  void warmUp();
  console.log(`
  The directory is at ${url}

  Console         ${url}/console
  API reference   ${url}/docs
  Inbox           ${url}/_local/mail
  Events          ${url}/_local/events
  Token           curl ${url}/_local/token -H 'content-type: application/json' -d '{"email":"you@example.com","admin":true}'

  Data folder: ${dataDir}. Press Ctrl-C to stop.
`);
};

try {
  await main();
} catch (error) {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
