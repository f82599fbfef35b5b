import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Outcome, root, run, type Tool } from './run.ts';

interface Step {
  readonly name: string;
  readonly tool: Tool;
  readonly args: readonly string[];
  /** The arguments that make the tool fix what it can. */
  readonly fix?: readonly string[];
}

/** The invariants over tables and files. Those that start a server are for `npm test`. */
const quickInvariants = globSync('test/invariants/*.test.ts', { cwd: root })
  .filter((file) => !/#test\/support\/(?:server|with-directory)\.ts/.test(readFileSync(join(root, file), 'utf8')))
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
  { name: 'console', tool: 'tsc', args: ['-p', 'console'] },
  { name: 'site', tool: 'tsc', args: ['-p', 'site'] },
  { name: 'docs', tool: 'docs', args: ['--check'], fix: [] },
  { name: 'references', tool: 'references', args: [] },
  { name: 'licences', tool: 'licences', args: [], fix: ['--fix'] },
  { name: 'invariants', tool: 'vitest', args: ['run', ...quickInvariants, '--reporter=dot'] },
];

const HELP = `npm run check [-- --fix] [-- --skip <step>]

The checks that take seconds and need no server and no account:
  style        format, import order and basic lint (biome)
  lint         type-aware lint (oxlint)
  types        tsc
  console      tsc for the console, which has the types of browsers
  site         tsc for the pages, with the types of browsers
  docs         docs/openapi.json and docs/events.md match the contract
  references   every path that a document cites exists
  licences     production packages have permissive licences and are listed in NOTICE.md
  invariants   tests over the tables of routes, events and subscriptions that start no server

  --fix        fix format and imports, and generate documents again
  --skip       skip a step; may be repeated
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
