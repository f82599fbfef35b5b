import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { features, tiers } from '#contract/route.ts';
import { variableNames } from '#platform/environment.ts';
import { runCommand } from '#test/support/command.ts';
import manifest from '../../package.json' with { type: 'json' };

/** Names of local resources, and what concerns only a deployed stage; they need no documentation. */
const fixed = [
  'TABLE_NAME',
  'FEED_SHARDS',
  'BUS_NAME',
  'MAIL_CONFIGURATION_SET',
  'USER_POOL_ID',
  'SIGN_IN_ISSUER',
  'WEBHOOK_KEY_ID',
  'LOCAL_SCHEDULES',
  'DEAD_LETTER_QUEUES',
  'UPLOAD_BUCKET',
];
const families = [
  ['RATE_LIMIT_', '<TIER>', tiers],
  ['FEATURE_', '<NAME>', features],
  ['PROMOTION_PRICE_', '<PLACEMENT>', []],
  ['PROMOTION_SLOTS_', '<PLACEMENT>', []],
] as const;

it('npm start -- --help documents every setting', async () => {
  const { code, output } = await runCommand('local/main.ts', ['--help']);
  expect(code).toBe(0);
  const named = (name: string): boolean => {
    const family = families.find(([prefix]) => name.startsWith(prefix));
    return family ? output.includes(`${family[0]}${family[1]}=`) : new RegExp(`\\b${name}\\b`).test(output);
  };
  expect(variableNames().filter((name) => !fixed.includes(name) && !named(name))).toEqual([]);
  for (const name of families.flatMap(([, , members]) => members)) expect(output).toContain(name.toUpperCase());
});

it.each(['scripts/test.ts', 'scripts/test-full.ts'])(
  '%s names a missing folder for temporary files',
  async (script) => {
    const { code, output, errors } = await runCommand(script, [], {
      TMPDIR: '/nowhere',
      TMP: '/nowhere',
      TEMP: '/nowhere',
    });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(
      /^Tests need a folder for temporary files: ENOENT.*\. Set TMPDIR to a folder that you can write to\.\n$/,
    );
  },
);

it('the service unit of one machine runs what npm start runs', () => {
  const unit = readFileSync('docs/one-machine.md', 'utf8');
  expect(unit).toContain(`ExecStart=/usr/bin/${manifest.scripts.start}\n`);
});

describe('commands', () => {
  // `synth` has the CDK's own help; with-dependencies.mjs passes its arguments on.
  const scripts = Object.values(manifest.scripts)
    .map((line) => line.split(' ').at(-1) ?? '')
    .filter((file) => file.startsWith('scripts/'));
  const benchmarks = globSync(['bench/*.ts', 'bench/catalog/*.ts']).filter((file) =>
    readFileSync(file, 'utf8').includes('const HELP'),
  );

  it.each([...scripts, ...benchmarks])(
    'the command %s prints its usage with --help and does nothing else',
    async (script) => {
      const { code, output, errors } = await runCommand(script, ['--help']);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      expect(output).toContain(script.startsWith('scripts/') ? 'npm ' : `node ${script}`);
    },
  );
});
