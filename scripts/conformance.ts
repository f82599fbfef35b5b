import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { configOf } from '#lib/config.ts';
import { variables } from '#test/conformance/variables.ts';
import { coverageIn, SEEN_FOLDER } from '#test/support/answers-seen.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { RUN_NAME } from '#test/support/fixtures.ts';
import { run } from './run.ts';
import { isLoopback } from './smoke/transport.ts';

const HELP = `npm run conformance -- <base-url> [--public] [--origin <origin>]… [-- <arguments of vitest>]

Runs the suite that proves the contract (test/conformance) against a deployment: every route of the table, what it answers,
what it refuses and how, and a listing's whole life. Every answer is held to the document.

  <base-url>     what everything stands below: the output Url of the stack directory-<stage>-api, or the stage's own domain
  --public       only what needs no credential; it changes nothing
  --origin       pages of this origin must be allowed to call; may be repeated
  --i-know-that-this-writes-to-production
                 without it nothing is run against a stage that protects its data, except --public
  --help         this text

Environment, unless --public; on one machine (npm start) the suite makes its tokens itself:
  ${variables.admin}   an administrator's access token
  ${variables.user}    a user's
  ${variables.other}   another user's
  CONFORMANCE_TOKEN_COMMAND  in place of the three: a command that is called with the word admin, user or other and prints one

What it makes has a name with conformance-<run> in it and is taken away at the end; if that fails it says what is left. In the
ledger of events and in the audit log it stays, for as long as these keep anything. It sends no mail but what its own users'
submissions cause, starts no payment and keeps within the rate limits: at one it waits. A run takes about a minute; another
within ten minutes waits for its quota of submissions.

Ends with 0 when the deployment keeps the contract, 1 when it does not, 2 when the suite was not run.`;

const ANSWER_MS = 10_000;
/** Longer than the longest wait for a quota. */
const TEST_MS = 720_000;

/** The suite was not run, and this is why. */
class NotRun extends Error {}

interface Place {
  readonly url: URL;
  readonly stage: string;
}

const readArguments = () => {
  try {
    const { values, positionals } = parseArgs({
      options: {
        public: { type: 'boolean', default: false },
        origin: { type: 'string', multiple: true, default: [] },
        'i-know-that-this-writes-to-production': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    return { ...values, positionals };
  } catch (error) {
    throw new NotRun((error as Error).message);
  }
};

const urlOf = (given: string | undefined): URL => {
  const url = given === undefined ? null : URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '')
    throw new NotRun('Say which deployment is meant: npm run conformance -- https://…');
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new NotRun(`${url.href} is http: tokens would travel in the open. Name the https address.`);
  return url;
};

/** Which stage answers there. @throws where nobody does, or nobody who knows. */
const placeAt = async (url: URL, client: Client): Promise<Place> => {
  try {
    const { status, body } = await client.call('GET', '/api/health');
    if (status !== 200) throw new Error(`it was answered ${status}`);
    return { url, stage: (body as { data: { stage: string } }).data.stage };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new NotRun(`${url.href} does not say which stage it is: ${message || code}. Try npm run smoke first.`);
  }
};

/** Whether a stage protects its data; one whose settings cannot be read here is taken for such a one. */
const isProtected = ({ url, stage }: Place): boolean => {
  if (stage === 'local' && isLoopback(url)) return false;
  try {
    return configOf(stage).protect;
  } catch {
    return true;
  }
};

const roles = ['admin', 'user', 'other'] as const;
type Tokens = Readonly<Record<(typeof roles)[number], string>>;

const printed = async (command: string, role: string): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(command, [role], { shell: true, timeout: 60_000 });
    return stdout.trim();
  } catch (error) {
    // Its output may hold a token.
    throw new NotRun(
      `CONFORMANCE_TOKEN_COMMAND ${role} failed: exit code ${String((error as { code?: unknown }).code)}.`,
    );
  }
};

const tokensFor = async ({ stage }: Place, client: Client): Promise<Tokens> => {
  const command = process.env.CONFORMANCE_TOKEN_COMMAND;
  const tokenFor = async (role: (typeof roles)[number]): Promise<string> => {
    const given = process.env[variables[role]];
    if (given) return given;
    if (command) return await printed(command, role);
    if (stage === 'local')
      return await client.token({ email: `conformance-${role}@example.com`, name: role, admin: role === 'admin' });
    throw new NotRun(`${variables[role]} is not set. With --public the suite needs no tokens.`);
  };
  const [admin, user, other] = await Promise.all(roles.map(tokenFor));
  const tokens = { admin, user, other } as Tokens;
  for (const role of roles)
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(tokens[role])) throw new NotRun(`The token of ${role} is no JSON Web Token.`);
  if (new Set(Object.values(tokens)).size < roles.length) throw new NotRun('The three tokens must be three people’s.');
  return tokens;
};

const main = async (): Promise<void> => {
  const { help, public: isPublic, origin: origins, positionals, ...flags } = readArguments();
  if (help) {
    console.log(HELP);
    return;
  }
  const [address, ...vitestArguments] = positionals;
  const url = urlOf(address);
  // The document is what the suite is about to hold it to; first it must be known whom it asks.
  const client = clientOf(url.href, { timeoutMs: ANSWER_MS, hold: () => undefined });
  try {
    const place = await placeAt(url, client);
    if (!isPublic && isProtected(place) && !flags['i-know-that-this-writes-to-production'])
      throw new NotRun(
        `Stage ${place.stage} protects its data, and the suite writes. Use --public, or say --i-know-that-this-writes-to-production.`,
      );
    const tokens = isPublic ? undefined : await tokensFor(place, client);
    const name = `conformance-${Date.now().toString(36)}`;
    const seenFolder = mkdtempSync(join(tmpdir(), 'conformance-'));
    Object.assign(process.env, {
      [variables.url]: url.href,
      [variables.origins]: origins.join(','),
      ...(tokens && Object.fromEntries(roles.map((role) => [variables[role], tokens[role]]))),
      [RUN_NAME]: name,
      [SEEN_FOLDER]: seenFolder,
    });
    console.log(`Stage ${place.stage} at ${url.href}, run ${name}.`);
    const files = isPublic ? 'test/conformance/public/' : 'test/conformance/';
    const limits = [`--testTimeout=${TEST_MS}`, `--hookTimeout=${TEST_MS}`];
    // One file at a time: they share the quota of one address.
    const { ok } = await run('vitest', ['run', files, '--no-file-parallelism', ...limits, ...vitestArguments], {
      show: true,
    });
    const { documented, missing } = coverageIn(seenFolder);
    rmSync(seenFolder, { recursive: true });
    console.log(`${documented - missing.length} of ${documented} documented answers seen.`);
    process.exitCode = ok ? 0 : 1;
  } finally {
    client.close();
  }
};

try {
  await main();
} catch (error) {
  if (!(error instanceof NotRun)) throw error;
  console.error(`${error.message}\n\nNothing was run; npm run conformance -- --help has the rest.`);
  process.exitCode = 2;
}
