import { features, tiers } from '#contract/route.ts';
import { catalog, REFRESH_MS } from '#data/catalog.ts';
import { dist } from '#lib/bundling/paths.ts';
import { freshConsole } from '#lib/console.ts';
import { freshSite } from '#lib/site.ts';
import { log } from '#platform/log.ts';
import { logChanges } from './background.ts';
import { dataDirOf, hasLocalIssuer, isClosed, setVariables, type Variables } from './environment.ts';
import { portOf, readArguments, readEnvFile } from './given-settings.ts';
import { isPublicHost } from './listening.ts';
import { seed } from './seed.ts';
import { type LocalServer, startLocalServer } from './server.ts';
import { buildErrorOf, StartupError } from './startup-error.ts';
import { collectEarly, releaseMemoryWhenIdle } from './v8-flags.ts';

/** The names as variables have them, in lines of the column of descriptions. */
const inLines = (names: readonly string[]): string =>
  names
    .join(', ')
    .toUpperCase()
    .replaceAll(/(.{70}\S*) /g, `$1\n${' '.repeat(28)}`);

const HELP = `Runs the whole directory service on this machine: HTTP API, database, events, mail, payments and logins.
Requires only Node, serves this machine only unless HOST is set, and keeps its data between runs.

  npm start                 starts the service; Ctrl-C stops it
  npm start -- --port 4000 --data /srv/directory
                            with PORT and DATA_DIR as arguments, which take precedence; --host is HOST
  npm start -- --help       prints this text

Settings are environment variables, shown with their defaults or an example. They may also be in a file .env in the folder
in which you run the command, one NAME=value per line; variables of the environment take precedence. A name that does not
exist and begins like one of the settings (FEATURE_, OIDC_, PROMOTION_, RATE_LIMIT_, SIGN_IN_, SITE_, STRIPE_) ends the start.
  PORT=3000                 port to listen on
  HOST=localhost            IP address of this machine to listen on, 0.0.0.0 for all. Other machines can connect then: it needs
                            OIDC_ISSUER and secrets of your own, and switches off all under /_local/ (inbox, tokens, mock payments)
                            and, unless SAMPLE_DATA=on, the sample data
  DATA_DIR=.data            data folder, from the folder of the project on; delete it to start with an empty directory. The path
                            of --data begins in the folder in which you run the command
  SAMPLE_DATA=on            off begins without sample categories and listings
  LOG_LEVEL=WARN            INFO logs each request

  RATE_LIMIT_<TIER>=n/s     requests per window in seconds:
                            ${inLines(tiers)}
  FEATURE_<NAME>=on|off     ${inLines(features)}
  ADMIN_EMAILS=a@b,c@d      users with these emails become administrators at their first request
  ALLOWED_ORIGINS=https…    origins that may send requests with credentials, separated by commas
  HTTPS_ONLY=on             sends Strict-Transport-Security, for a proxy in front that speaks https (off). Inbox, tokens and all else
                            under /_local/ is 404 then, and for every request that a proxy has marked with Forwarded, Via
                            or X-Forwarded-…: set OIDC_ISSUER
  TRUSTED_PROXIES=…         IP ranges of proxies whose X-Forwarded-For is trusted (127.0.0.0/8,::1)
  DUPLICATE_URLS=reject     rejects a listing whose URL is already listed (allow)
  SEARCH_LONG_DESCRIPTION=on  searches by words also search long descriptions (off)
  LIVE_EDITS=review         edits of live listings by their owners wait for approval; review_material: only those of name,
                            URL, slug, logo and categories (immediate)
  WEBHOOK_ALLOW_PRIVATE=on  allows webhooks to this machine and over http (off)
  CLAIM_DNS_SERVER=…        IP address of the name server that is asked for the proofs of claims, with a port if it is not 53
  CRON_SECRET=…             bearer token for the jobs at /api/cron/ (local-cron-secret); empty: no calls of jobs. No default
                            when STRIPE_SECRET_KEY, OIDC_ISSUER, HTTPS_ONLY=on, HOST or a public SITE_URL is set
  LOCAL_SCHEDULES=off       runs no job by its schedule (on)

  SITE_NAME=Directory       name of the directory in mails; SITE_URL=http…: base URL of links in mails; MAIL_FROM=…: sender
  SITE_INDEX=on|off         whether search engines may index the pages; on by default when SITE_URL is https
  SITE_LANGUAGES=en         languages of the pages: en, de, es, fr; the first one at /, others at /de
  INDEXNOW_KEY=…           key with which changes of public listings are reported to search engines, unless SITE_INDEX is off;
                            INDEXNOW_ENDPOINT=https…: where (https://api.indexnow.org/indexnow)
  UPLOAD_ENDPOINT=http…     where browsers send files of large imports: /_local/storage at the address of this service, with
                            HTTPS_ONLY=on or HOST at SITE_URL unless FEATURE_SITE=off
  MAP_STYLE_URL=https…      style of MapLibre for the map of the pages, in place of the built-in outlines; style, tiles, glyphs
                            and sprites come from its origin
  LOCAL_LINKS=off           pages without the links to console, API reference, inbox and events (on)
  UNSUBSCRIBE_SECRET=…      key of the addresses to unsubscribe; made at the first start by default
  OIDC_ISSUER=https…        accepts tokens of this issuer instead of local ones; needs OIDC_JWKS_URI=… for its keys and
                            OIDC_AUDIENCES=a,b for accepted audiences
  SIGN_IN_CLIENT_ID=…       client with which a browser signs in at that issuer, in the public settings; URLs that its
                            discovery document lacks: SIGN_IN_AUTHORIZATION_URL, SIGN_IN_TOKEN_URL, SIGN_IN_END_SESSION_URL
  SIGN_IN_PARAMETERS='a=b&c=d'  parameters that the pages add to each authorization request, as in a query: audience, resource, prompt
                            and so on. Scopes in scope=… are added to openid, email and profile
  VERIFIED_EMAIL_REQUIRED=submit  users without a verified email address cannot submit listings; write: they can write nothing
                            but their own profile, and erase themselves (none). Tokens of an issuer of your own need email and
                            email_verified for it
  AI_MODEL=…                language model for FEATURE_AI=on: a model of Amazon Bedrock, or of the OpenAI-compatible
                            server at AI_BASE_URL=http… with the key AI_API_KEY=…

  PREMIUM_PRICE=4900        price of the premium plan, in the smallest unit that Stripe has for CURRENCY=usd
  PROMOTION_PRICE_<PLACEMENT>=n   price of a promotion per month: BANNER, CATALOG, DETAIL
  PROMOTION_SLOTS_<PLACEMENT>=n   number of concurrent promotions (BANNER 1, others unlimited)
  CHECKOUT_SUCCESS_URL=…    where the payment page redirects after payment, with {checkout} for the id;
                            CHECKOUT_CANCEL_URL=… after cancelling
  STRIPE_SECRET_KEY=sk_…    uses Stripe instead of the local mock; STRIPE_API_BASE=http…: another mock of it
  STRIPE_WEBHOOK_SECRET=…   signing secret of Stripe's webhooks (whsec_local); empty: none are accepted. No default where CRON_SECRET
                            has none

  DYNAMODB_ENDPOINT=http…   uses another DynamoDB-compatible engine instead of the embedded one. DynamoDB Local answers every
                            web page that you visit: do not keep real data in it
  DYNOXIDE_BIN=…            binary of the embedded engine, for platforms without a package
  RATE_COUNTER_TIMEOUT_MS=300
                            milliseconds until a request passes without an answer of its rate counter
  TABLE_TIMEOUT_MS=5000     milliseconds until a request to the table is repeated, at most 30000
  RATE_COUNTER=memory       where requests are counted; "table" writes a counter with each request, as deployed
  STAGE=local               name of this environment in the health route
`;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/**
 * Signals within this time count as one, in milliseconds: Ctrl-C signals the whole process group, and parents forward it.
 */
const SAME_SIGNAL_MS = 500;

let isStopping = false;

/** Stops the server and the process on a signal; a second signal exits immediately. */
const stopOnSignal = (server: Promise<LocalServer>): void => {
  let firstSignalAt: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (firstSignalAt !== undefined) {
      if (performance.now() - firstSignalAt > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    firstSignalAt = performance.now();
    isStopping = true;
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

/** Refreshes the catalog, while it is read, before its readers have to wait for that. */
const keepCatalogFresh = (): void => {
  const state = logChanges('the catalog could not be refreshed');
  setInterval(() => void catalog.refreshIfRead().then(state.succeeded, state.failed), REFRESH_MS / 2).unref();
};

/** Reads the catalog before a request needs it, and then keeps it fresh and the memory of the process small (ADR 68). */
const warmUp = async (): Promise<void> => {
  try {
    await catalog('now');
  } catch (error) {
    // The next request reads it again. A server that stops during the read has ended its engine.
    if (!isStopping) log.error('the catalog could not be read at the start', { error: error as Error });
  }
  collectEarly();
  releaseMemoryWhenIdle();
  keepCatalogFresh();
};

/** What is probably missing for others than the user of this machine. @param given the settings of the user. */
const adviceOn = (given: Variables): string[] => [
  ...(isPublicHost(given.HOST) && !given.SITE_URL
    ? ['Links lead to this machine: set SITE_URL to the address that visitors use.']
    : []),
  ...(isClosed(given) && hasLocalIssuer(given) ? ['Users cannot sign in: set OIDC_ISSUER.'] : []),
];

/** Builds what has changed of the console and of the pages. @throws {StartupError} when their files cannot be written. */
const buildFiles = async (): Promise<void> => {
  try {
    await Promise.all([freshConsole(), freshSite()]);
  } catch (error) {
    throw buildErrorOf(error, dist);
  }
};

const main = async (): Promise<void> => {
  const given = readArguments(process.argv.slice(2), process.env);
  if (given.isHelp) {
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

  const envFile = readEnvFile(process.env);
  setVariables({ ...envFile?.variables, ...given.variables });
  const port = portOf(process.env.PORT);
  const dataDir = dataDirOf(process.env);
  await buildFiles();
  const advice = adviceOn(process.env);
  const starting = startLocalServer({
    port,
    dataDir,
    seed,
    schedules: true,
    backgroundWorker: true,
  });
  stopOnSignal(starting);
  const { url } = await starting;
  if (isStopping) return;
  void warmUp();
  const localParts = `  Inbox           ${url}/_local/mail
  Events          ${url}/_local/events
  Token           curl ${url}/_local/token -H 'content-type: application/json' -d '{"email":"you@example.com","admin":true}'
`;
  console.log(`
  The directory is at ${url}
${advice.map((sentence) => `\n  ${sentence}\n`).join('')}
  Console         ${url}/console
  API reference   ${url}/docs
${isClosed(process.env) ? '' : localParts}
  Data folder: ${dataDir}. ${envFile ? `Settings: ${envFile.path}. ` : ''}Press Ctrl-C to stop.
`);
};

try {
  await main();
} catch (error) {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
