import { parseArgs } from 'node:util';
import { clientOf } from '#test/support/client.ts';
import { type SmokeStep, smokeSteps } from './smoke/steps.ts';

const HELP = `npm run smoke -- <base-url> [--origin <origin>]… [--timeout <seconds>]

Asks a deployment a little of everything and changes nothing: whether it is alive and reaches its table and bus, a list,
facets, a search, its OpenAPI document (which must be this checkout's), the shapes of 404 and 401, the quota's headers, the
certificate. Every answer is also held to the document. Prints a line per question with its time in milliseconds.

  <base-url>    what everything stands below: the output Url of the stack directory-<stage>-api, or the stage's own domain
  --origin      pages of this origin must be allowed to call, and those of another must not; may be repeated
  --timeout     gives up a question after so many seconds (10); the whole run after six times that
  --help        this text

Environment:
  SMOKE_TOKEN   an access token; with it the profile of its owner is read as well. Never on the command line, where other
                processes can see it. (Whoever signs in for the first time gets a record by that.)

Ends with 0 when all is well, 1 when something is not, 2 when it was called wrongly.`;

/** How many time limits of a question a whole run may take. */
const RUN_TIMEOUTS = 6;

/** Without an answer to these nobody is there to be asked the others. */
const FOUNDATIONS = ['transport', 'health'];

class CalledWrongly extends Error {}

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
    throw new CalledWrongly((error as Error).message);
  }
};

const urlOf = (positionals: readonly string[]): URL => {
  const [given, ...others] = positionals;
  const url = given === undefined || others.length > 0 ? null : URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '') return url;
  throw new CalledWrongly('Say which deployment is meant: npm run smoke -- https://…');
};

const sentenceOf = (error: unknown, timeoutMs: number): string => {
  const { name, message, code } = error as Error & { code?: string };
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return `no answer within ${timeoutMs / 1000} seconds`;
  // What tries several addresses has its words in its parts only.
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
  if (!(timeoutMs > 0)) throw new CalledWrongly('--timeout is a number of seconds.');
  const token = process.env.SMOKE_TOKEN || undefined;
  const client = clientOf(url.href, { timeoutMs });
  const endsAt = performance.now() + RUN_TIMEOUTS * timeoutMs;
  const failed: string[] = [];

  const report = (mark: string, { name }: SmokeStep, ms: string, words: string): void =>
    console.log(withToken(`${mark.padEnd(4)} ${name.padEnd(15)} ${ms.padStart(7)}  ${words}`, token));

  for (const step of smokeSteps({ url, client, origins, token, timeoutMs })) {
    if (step.missing !== undefined) {
      report('-', step, '', step.missing);
      continue;
    }
    const from = performance.now();
    const took = () => `${Math.round(performance.now() - from)} ms`;
    try {
      if (from > endsAt)
        throw new Error(`no time left: the whole run ends after ${(RUN_TIMEOUTS * timeoutMs) / 1000} s`);
      const found = await step.run();
      report('ok', step, took(), found);
    } catch (error) {
      report('FAIL', step, took(), sentenceOf(error, timeoutMs));
      failed.push(step.name);
      if (FOUNDATIONS.includes(step.name)) break;
    }
  }
  client.close();
  if (failed.length === 0) return;
  console.error(`\n${url.href} is not well: ${failed.join(', ')}. docs/runbook.md says how to look.`);
  process.exitCode = 1;
};

try {
  await main();
} catch (error) {
  if (!(error instanceof CalledWrongly)) throw error;
  console.error(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}
