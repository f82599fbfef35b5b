import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { configOf } from '#lib/config.ts';
import { variables } from '#test/conformance/variables.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { RUN_NAME } from '#test/support/fixtures.ts';
import { RESPONSES_FOLDER, readCoverage } from '#test/support/responses-seen.ts';
import { run } from './run.ts';
import { isLoopback } from './smoke/transport.ts';

const HELP = `npm run conformance -- <base-url> [--public] [--origin <origin>]… [-- <arguments of vitest>]

Runs the suite that proves the contract (test/conformance) against a deployment: every route of the table, what it answers,
what it refuses and how, and a listing's whole life. Every answer is held to the document.

  <base-url>     the output Url of the stack directory-<stage>-api, or the stage's own domain
  --public       runs only tests that need no credentials; they change nothing
  --origin       an origin that CORS must allow; may be repeated
  --i-know-that-this-writes-to-production
                 required for a stage that protects its data, unless --public is given
  --help         prints this text

Environment, unless --public; against a local server (npm start) the suite requests its tokens itself:
  ${variables.admin}   an administrator's access token
  ${variables.user}    a user's
  ${variables.other}   another user's
  CONFORMANCE_TOKEN_COMMAND  instead of the three: a command that prints a token for its argument admin, user or other

Created data has conformance-<run> in its name and is deleted at the end; what could not be deleted is listed. Entries in the
event log and in the audit log remain for their retention. The suite sends only the mails that its own submissions cause,
starts no payment, and waits when it reaches a rate limit. A run takes about a minute; a second one within ten minutes waits
for the quota of submissions.

Exit code: 0 when the deployment keeps the contract, 1 when it does not, 2 when the suite was not run.`;

const RESPONSE_MS = 10_000;
/** Longer than the longest wait for a quota. */
const TEST_MS = 720_000;

/** The suite was not run; the message says why. */
class NotRun extends Error {}

interface Deployment {
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
    throw new NotRun('Name the deployment: npm run conformance -- https://…');
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new NotRun(`${url.href} uses http and would transmit tokens unencrypted. Use the https URL.`);
  return url;
};

/** Reads the stage from the health route. @throws {NotRun} when that fails. */
const findDeployment = async (url: URL, client: Client): Promise<Deployment> => {
  try {
    const { status, body } = await client.call('GET', '/api/health');
    if (status !== 200) throw new Error(`status ${status}`);
    return { url, stage: (body as { data: { stage: string } }).data.stage };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new NotRun(`Could not read the stage from ${url.href}: ${message || code}. Run npm run smoke first.`);
  }
};

/** Whether a stage protects its data; a stage without settings counts as protected. */
const isProtected = ({ url, stage }: Deployment): boolean => {
  if (stage === 'local' && isLoopback(url)) return false;
  try {
    return configOf(stage).protect;
  } catch {
    return true;
  }
};

const roles = ['admin', 'user', 'other'] as const;
type Tokens = Readonly<Record<(typeof roles)[number], string>>;

const tokenFromCommand = async (command: string, role: string): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(command, [role], { shell: true, timeout: 60_000 });
    return stdout.trim();
  } catch (error) {
    // The output is not shown, because it may contain a token.
    throw new NotRun(
      `CONFORMANCE_TOKEN_COMMAND ${role} failed: exit code ${String((error as { code?: unknown }).code)}.`,
    );
  }
};

const tokensFor = async ({ stage }: Deployment, client: Client): Promise<Tokens> => {
  const command = process.env.CONFORMANCE_TOKEN_COMMAND;
  const tokenFor = async (role: (typeof roles)[number]): Promise<string> => {
    const given = process.env[variables[role]];
    if (given) return given;
    if (command) return await tokenFromCommand(command, role);
    if (stage === 'local')
      return await client.token({ email: `conformance-${role}@example.com`, name: role, admin: role === 'admin' });
    throw new NotRun(`${variables[role]} is not set. Set it, or use --public, which needs no tokens.`);
  };
  const [admin, user, other] = await Promise.all(roles.map(tokenFor));
  const tokens = { admin, user, other } as Tokens;
  for (const role of roles)
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(tokens[role]))
      throw new NotRun(`The token of ${role} is not a JSON Web Token.`);
  if (new Set(Object.values(tokens)).size < roles.length)
    throw new NotRun('The three tokens must belong to three different users.');
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
  // Responses are not validated yet: the stage has to be known first.
  const client = clientOf(url.href, { timeoutMs: RESPONSE_MS, check: () => undefined });
  try {
    const deployment = await findDeployment(url, client);
    if (!isPublic && isProtected(deployment) && !flags['i-know-that-this-writes-to-production'])
      throw new NotRun(
        `Stage ${deployment.stage} protects its data, and the suite writes. Add --public or --i-know-that-this-writes-to-production.`,
      );
    const tokens = isPublic ? undefined : await tokensFor(deployment, client);
    const name = `conformance-${Date.now().toString(36)}`;
    const seenFolder = mkdtempSync(join(tmpdir(), 'conformance-'));
    Object.assign(process.env, {
      [variables.url]: url.href,
      [variables.origins]: origins.join(','),
      ...(tokens && Object.fromEntries(roles.map((role) => [variables[role], tokens[role]]))),
      [RUN_NAME]: name,
      [RESPONSES_FOLDER]: seenFolder,
    });
    console.log(`Stage ${deployment.stage} at ${url.href}, run ${name}.`);
    const files = isPublic ? 'test/conformance/public/' : 'test/conformance/';
    const limits = [`--testTimeout=${TEST_MS}`, `--hookTimeout=${TEST_MS}`];
    // One file at a time, because all share the rate limit of one client address.
    const { ok } = await run('vitest', ['run', files, '--no-file-parallelism', ...limits, ...vitestArguments], {
      show: true,
    });
    const { documented, missing } = readCoverage(seenFolder);
    rmSync(seenFolder, { recursive: true });
    console.log(`${documented - missing.length} of ${documented} documented responses seen.`);
    process.exitCode = ok ? 0 : 1;
  } finally {
    client.close();
  }
};

try {
  await main();
} catch (error) {
  if (!(error instanceof NotRun)) throw error;
  console.error(`${error.message}\n\nThe suite was not run. See npm run conformance -- --help.`);
  process.exitCode = 2;
}
