import { parseArgs } from 'node:util';
import { clientOf } from '#test/support/client.ts';
import { type SmokeStep, smokeSteps } from './smoke/steps.ts';

const HELP = `npm run smoke -- <base-url> [--origin <origin>]… [--timeout <seconds>]

Checks a deployment without changing it: health with table and bus, a list, facets, a search, the OpenAPI document (which must
be that of this checkout), the bodies of 404 and 401, the rate limit headers, CORS and the certificate. Every response is also
validated against the document. Prints a line per check with its duration in milliseconds.

  <base-url>    the output Url of the stack directory-<stage>-api, or the stage's own domain
  --origin      an origin that CORS must allow, while others are rejected; may be repeated
  --timeout     time limit per check in seconds (10); the limit of the whole run is six times that
  --help        prints this text

Environment:
  SMOKE_TOKEN   an access token for reading its user's profile. Not an argument, because other processes can read the command
                line. (The first request of a new user creates their record.)

Exit code: 0 when all checks pass, 1 when one fails, 2 for invalid arguments.`;

/** The time limit of the whole run, as a multiple of that of a check. */
const RUN_TIMEOUTS = 6;

/** When one of these checks fails, the others are skipped. */
const PREREQUISITES = ['transport', 'health'];

class UsageError extends Error {}

const readArguments = () => {
  try {
    const { values, positionals } = parseArgs({
      options: {
        origin: { type: 'string', multiple: true, default: [] },
        timeout: { type: 'string', default: '10' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    return { ...values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const urlOf = (positionals: readonly string[]): URL => {
  const [given, ...others] = positionals;
  const url = given === undefined || others.length > 0 ? null : URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '') return url;
  throw new UsageError('Name the deployment: npm run smoke -- https://…');
};

const messageOf = (error: unknown, timeoutMs: number): string => {
  const { name, message, code } = error as Error & { code?: string };
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return `no response within ${timeoutMs / 1000} seconds`;
  // An AggregateError of several connection attempts has no message of its own.
  return message || (code ?? name);
};

const withToken = (text: string, token: string | undefined): string =>
  token === undefined ? text : text.replaceAll(token, '<token>');

const main = async (): Promise<void> => {
  const { help, origin: origins, timeout, positionals } = readArguments();
  if (help) {
    console.log(HELP);
    return;
  }
  const url = urlOf(positionals);
  const timeoutMs = Number(timeout) * 1000;
  if (!(timeoutMs > 0)) throw new UsageError('--timeout must be a positive number of seconds.');
  const token = process.env.SMOKE_TOKEN || undefined;
  const client = clientOf(url.href, { timeoutMs });
  const endsAt = performance.now() + RUN_TIMEOUTS * timeoutMs;
  const failed: string[] = [];

  const report = (mark: string, { name }: SmokeStep, ms: string, text: string): void =>
    console.log(withToken(`${mark.padEnd(4)} ${name.padEnd(15)} ${ms.padStart(7)}  ${text}`, token));

  for (const step of smokeSteps({ url, client, origins, token, timeoutMs })) {
    if (step.missing !== undefined) {
      report('-', step, '', step.missing);
      continue;
    }
    const from = performance.now();
    const took = () => `${Math.round(performance.now() - from)} ms`;
    try {
      if (from > endsAt)
        throw new Error(`the time limit of the run (${(RUN_TIMEOUTS * timeoutMs) / 1000} s) is exceeded`);
      const found = await step.run();
      report('ok', step, took(), found);
    } catch (error) {
      report('FAIL', step, took(), messageOf(error, timeoutMs));
      failed.push(step.name);
      if (PREREQUISITES.includes(step.name)) break;
    }
  }
  client.close();
  if (failed.length === 0) return;
  console.error(`\n${url.href} failed these checks: ${failed.join(', ')}. See docs/runbook.md.`);
  process.exitCode = 1;
};

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}
