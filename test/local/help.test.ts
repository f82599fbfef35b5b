import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { features, tiers } from '#contract/route.ts';
import { settingNames } from '#platform/settings.ts';
import { runCommand } from '#test/support/command.ts';
import manifest from '../../package.json' with { type: 'json' };

/** What somebody finds who asks a command what it does. */

describe('npm start -- --help', () => {
  /** What the parts of this world are called; nobody gains from another name. */
  const fixed = ['TABLE_NAME', 'BUS_NAME', 'MAIL_CONFIGURATION_SET'];
  const families = [
    ['RATE_LIMIT_', '<TIER>', tiers],
    ['FEATURE_', '<NAME>', features],
    ['PROMOTION_PRICE_', '<PLACE>', []],
    ['PROMOTION_SLOTS_', '<PLACE>', []],
  ] as const;

  it('names every setting', async () => {
    const { code, output } = await runCommand('local/main.ts', ['--help']);
    expect(code).toBe(0);
    const named = (name: string): boolean => {
      const family = families.find(([prefix]) => name.startsWith(prefix));
      return family ? output.includes(`${family[0]}${family[1]}=`) : new RegExp(`\\b${name}\\b`).test(output);
    };
    expect(settingNames.filter((name) => !fixed.includes(name) && !named(name))).toEqual([]);
    for (const name of families.flatMap(([, , members]) => members)) expect(output).toContain(name.toUpperCase());
  });
});

describe('commands', () => {
  // The CDK explains `synth` itself; the one that starts all others has no words of its own.
  const scripts = Object.values(manifest.scripts)
    .map((line) => line.split(' ').at(-1) ?? '')
    .filter((file) => file.startsWith('scripts/'));
  const benchmarks = globSync(['bench/*.ts', 'bench/catalog/*.ts']).filter((file) =>
    readFileSync(file, 'utf8').includes('const HELP'),
  );

  it.each([...scripts, ...benchmarks])('%s says with --help what it does, and does nothing', async (script) => {
    const { code, output, errors } = await runCommand(script, ['--help']);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toContain(script.startsWith('scripts/') ? 'npm ' : `node ${script}`);
  });
});
