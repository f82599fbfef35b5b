import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Outcome, root, run, type Tool } from './run.ts';

interface Step {
  readonly name: string;
  readonly tool: Tool;
  readonly args: readonly string[];
  /** The arguments with which the tool mends what it can. */
  readonly fix?: readonly string[];
}

/** The laws that look at tables and files only; those that start the service are for `npm test`. */
const quickLaws = globSync('test/laws/*.test.ts', { cwd: root })
  .filter((file) => !/#test\/support\/(?:world|with-directory)\.ts/.test(readFileSync(join(root, file), 'utf8')))
  .toSorted();

const steps: readonly Step[] = [
  { name: 'style', tool: 'biome', args: ['check', '--error-on-warnings'], fix: ['check', '--write'] },
  {
    name: 'lint',
    tool: 'oxlint',
    args: ['--type-aware', '--deny-warnings'],
    fix: ['--type-aware', '--deny-warnings', '--fix'],
  },
  { name: 'types', tool: 'tsc', args: ['-p', '.'] },
  { name: 'docs', tool: 'docs', args: ['--check'], fix: [] },
  { name: 'references', tool: 'references', args: [] },
  { name: 'licences', tool: 'licences', args: [], fix: ['--fix'] },
  { name: 'laws', tool: 'vitest', args: ['run', ...quickLaws, '--reporter=dot'] },
];

const HELP = `npm run check [-- --fix] [-- --skip <step>]

What can be known in seconds, without a server or an account:
  style        format, import order and basic lint (biome)
  lint         lint that knows the types (oxlint)
  types        tsc
  docs         docs/openapi.json is what the routes say
  references   every path that a document cites exists
  licences     production packages are under permissive licences and stand in NOTICE.md
  laws         tests over the tables of routes, events and subscriptions (those that start no service)

  --fix        mend what can be mended: format, imports, generated documents
  --skip       leave a step out; may be repeated
  --help       this text`;

const { values } = parseArgs({
  options: {
    fix: { type: 'boolean' },
    skip: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean' },
  },
});

const report = ({ name }: Step, { ok, output, seconds }: Outcome): void => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`);
  if (!ok) console.log(`\n${output.trimEnd()}\n`);
};

if (values.help) {
  console.log(HELP);
} else {
  const failed: string[] = [];
  for (const step of steps) {
    if (values.skip.includes(step.name)) continue;
    const outcome = await run(step.tool, values.fix && step.fix ? step.fix : step.args);
    report(step, outcome);
    if (!outcome.ok) failed.push(step.name);
  }
  if (failed.length > 0) {
    console.log(`Failed: ${failed.join(', ')}.`);
    process.exitCode = 1;
  }
}
