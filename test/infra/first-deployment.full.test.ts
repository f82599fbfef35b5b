import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { jobs } from '#events/jobs.ts';
import { exampleValuesIn } from '#lib/config/example-values.ts';
import type { StageOverrides } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { named, ofType, type SynthesizedStack, synthesize } from './synthesized.ts';

/** What docs/first-deployment.md says about the stage that it deploys. */

const page = readFileSync('docs/first-deployment.md', 'utf8');
const block = /```ts\ntrial: (\{.*?\n\}),\n```/s.exec(page)?.[1] ?? '';
const { default: trial } = (await import(`data:text/javascript,export default ${encodeURIComponent(block)}`)) as {
  default: StageOverrides;
};
const config = configOf('trial', { trial });
const stacks = synthesize(config);
const outputsOf = ({ content }: SynthesizedStack): object => (content as { Outputs: object }).Outputs;

it('docs/first-deployment.md has settings that can be deployed and leave nothing behind', () => {
  expect(exampleValuesIn(config)).toEqual([]);
  const retained = stacks.all.flatMap(({ resources }) =>
    resources.flatMap(({ logicalId, deletionPolicy }) => (deletionPolicy === 'Retain' ? [logicalId] : [])),
  );
  // The role for gateway logs belongs to the account.
  expect(retained.filter((id) => !id.startsWith('GatewayLogRole'))).toEqual([]);
});

it('docs/first-deployment.md reads outputs that exist', () => {
  const read = [...page.matchAll(/\$\(out (\w+) (\w+)\)/g)].map(([, stack, output]) => [stack, output]);
  expect(read.length).toBeGreaterThan(5);
  const missing = read.filter(([stack, output]) => {
    const found = stacks.all.find(({ name }) => name === `directory-trial-${stack}`);
    return !found || !Object.hasOwn(outputsOf(found), output ?? '');
  });
  expect(missing).toEqual([]);
});

it('docs/first-deployment.md finds functions, roles, keys and logs by names that exist', () => {
  const descriptions = ofType(stacks.api, 'AWS::Lambda::Function').map(({ properties }) => properties.Description);
  for (const [, description] of page.matchAll(/\$\(role '([^']+)'\)/g)) expect(descriptions).toContain(description);
  expect(page).toContain('Sample, stage trial');
  const keys = ofType(stacks.api, 'AWS::ApiGateway::ApiKey').filter(({ properties }) => properties.Enabled !== false);
  expect(keys.map(({ properties }) => properties.Description)).toEqual(['Sample, stage trial']);
  expect(named(stacks.data, 'AWS::IAM::Role', 'BackupRole').logicalId).toMatch(/^BackupRole/);
  const all = stacks.all.flatMap(({ resources }) => resources.map(({ logicalId }) => logicalId));
  for (const name of ['MailRecordFeedback', 'IdentityAddClaims', 'Cron']) {
    expect(
      all.filter((id) => id.startsWith(name)),
      name,
    ).not.toEqual([]);
  }
  expect(page).toContain('fourteen enabled schedules');
  expect(jobs).toHaveLength(14);
});

it('docs/first-deployment.md takes about an hour', () => {
  const points = [...page.matchAll(/^## (\d+)\. .*\((\d+) minutes?/gm)];
  expect(points.map(([, number]) => Number(number))).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
  const minutes = points.reduce((sum, [, , each]) => sum + Number(each), 0);
  expect(minutes).toBeLessThanOrEqual(65);
});
