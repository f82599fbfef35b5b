import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { configOf } from '#lib/config.ts';
import { stageOverrides } from '#lib/stages.ts';
import manifest from '../../package.json' with { type: 'json' };

/** The GitHub workflows, which cannot run here: their structure and security settings. */

const Text = z.union([z.string(), z.number(), z.boolean()]);
const Permissions = z.partialRecord(z.enum(['contents', 'id-token']), z.enum(['read', 'write']));
const Concurrency = z.strictObject({ group: z.string(), 'cancel-in-progress': z.union([z.boolean(), z.string()]) });
const Defaults = z.strictObject({ run: z.strictObject({ shell: z.literal('bash') }) });

const Step = z
  .strictObject({
    name: z.string().optional(),
    id: z.string().optional(),
    if: z.string().optional(),
    uses: z.string().optional(),
    with: z.record(z.string(), Text).optional(),
    run: z.string().optional(),
    env: z.record(z.string(), Text).optional(),
  })
  .refine(({ uses, run }) => (uses === undefined) !== (run === undefined), { error: 'must have either uses or run' });

const RunningJob = z.strictObject({
  name: z.string(),
  if: z.string().optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  'runs-on': z.literal('ubuntu-24.04'),
  'timeout-minutes': z.int().min(1).max(60),
  permissions: Permissions,
  environment: z.string().optional(),
  concurrency: Concurrency.optional(),
  strategy: z
    .strictObject({ 'fail-fast': z.literal(false), matrix: z.strictObject({ stage: z.array(z.string()) }) })
    .optional(),
  env: z.record(z.string(), Text).optional(),
  steps: z.array(Step).min(1),
});

const CallingJob = z.strictObject({
  name: z.string(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  permissions: Permissions,
  uses: z.string().regex(/^\.\/\.github\/workflows\/[\w-]+\.yml$/),
  with: z.record(z.string(), Text).optional(),
});

const Workflow = z.strictObject({
  name: z.string(),
  on: z.partialRecord(z.enum(['pull_request', 'push', 'schedule', 'workflow_call', 'workflow_dispatch']), z.unknown()),
  permissions: z.strictObject({}),
  concurrency: Concurrency.optional(),
  defaults: Defaults.optional(),
  jobs: z.record(z.string(), z.union([RunningJob, CallingJob])),
});
type Workflow = z.infer<typeof Workflow>;

const files = globSync('.github/workflows/*').toSorted();
const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const workflows = texts.map(({ file, text }) => ({ file, text, workflow: Workflow.parse(parse(text)) }));
const workflowOf = (name: string): Workflow => {
  const found = workflows.find(({ file }) => basename(file) === name);
  if (!found) throw new Error(`${name} does not exist.`);
  return found.workflow;
};
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ id: `${basename(file)} ${id}`, job })),
);
const commandsOf = ({ jobs: ofWorkflow }: Workflow): string[] =>
  Object.values(ofWorkflow).flatMap((job) => ('steps' in job ? job.steps.flatMap(({ run = [] }) => run) : []));
const running = jobs.flatMap(({ id, job }) => ('steps' in job ? [{ id, job }] : []));

it('workflows pin third-party actions to a full commit hash with a version comment', () => {
  for (const { file, text } of texts) {
    for (const [line, action = ''] of text.matchAll(/^.*uses:\s*(\S+).*$/gm)) {
      if (action.startsWith('./')) continue;
      expect([file, line]).toEqual([
        file,
        expect.stringMatching(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/),
      ]);
    }
  }
});

it('workflows never interpolate expressions into scripts, only into the environment', () => {
  for (const { id, job } of running) {
    for (const { run = '' } of job.steps) expect([id, run.includes('${{')]).toEqual([id, false]);
  }
});

it('workflows use no secrets and no events that give forks privileges', () => {
  for (const { file, text } of texts) {
    expect([file, /\bsecrets\b|pull_request_target|workflow_run/.exec(text)?.[0]]).toEqual([file, undefined]);
  }
});

it('workflows refer to configured stages only', () => {
  const inMatrices = running.flatMap(({ job }) => job.strategy?.matrix.stage ?? []);
  const given = jobs.flatMap(({ job }) => (!('steps' in job) && job.with?.stage ? [String(job.with.stage)] : []));
  expect(Object.keys(stageOverrides)).toEqual(expect.arrayContaining([...inMatrices, ...given]));
});

describe.each(running)('the job $id', ({ job }) => {
  const uses = (action: string) => job.steps.filter(({ uses: used }) => used?.startsWith(`${action}@`));

  it('persists no credentials and reads the Node version from package.json', () => {
    for (const step of uses('actions/checkout')) expect(step.with).toEqual({ 'persist-credentials': false });
    expect(uses('actions/setup-node')).toHaveLength(1);
    for (const step of uses('actions/setup-node')) {
      expect(step.with).toMatchObject({ 'node-version-file': 'package.json' });
      expect(step.with).not.toHaveProperty('node-version');
    }
    expect(job.steps.map(({ run }) => run)).toContain('npm ci');
  });

  it('has id-token permission only when it assumes a role', () => {
    const takesRole = uses('aws-actions/configure-aws-credentials').length > 0;
    expect(job.permissions).toEqual({ contents: 'read', ...(takesRole && { 'id-token': 'write' }) });
  });

  it('caches packages unless it can deploy', () => {
    const [node] = uses('actions/setup-node');
    if (job.environment === undefined) expect(node?.with).toMatchObject({ cache: 'npm' });
    else expect(node?.with).toMatchObject({ 'package-manager-cache': false });
  });
});

describe('a pull request', () => {
  const { on, jobs: ofCheck } = workflowOf('check.yml');

  it('a pull request is checked, tested, synthesized for every stage and compared with what is deployed', () => {
    expect(Object.keys(on)).toContain('pull_request');
    const commands = commandsOf(workflowOf('check.yml')).join('\n');
    for (const command of ['npm run check', 'npm test', 'npx cdk synth', 'npx cdk diff'])
      expect(commands).toContain(command);
  });

  it('the long proofs run each night and hold back no pull request', () => {
    const proofs = workflowOf('full-test.yml');
    expect(proofs.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }] });
    expect(Object.keys(proofs.on)).not.toContain('pull_request');
    expect(commandsOf(proofs)).toContain('npm run test:full');
    expect(commandsOf(workflowOf('check.yml'))).not.toContain('npm run test:full');
  });

  it('a pull request from a fork gets no credentials, and a notice says why', () => {
    const job = RunningJob.parse(ofCheck.diff);
    const [look, ...others] = job.steps;
    expect(look?.run).toContain('it comes from a fork');
    expect(look?.run).toContain('::notice');
    for (const step of others)
      expect([step.name ?? step.uses ?? step.run, step.if]).toEqual([
        expect.anything(),
        "steps.may.outputs.look == 'yes'",
      ]);
  });
});

describe('a deployment', () => {
  const { on, jobs: ofDeploy, concurrency } = workflowOf('deploy.yml');

  it('a deployment follows main: checked, then staging, then production after the long proofs', () => {
    expect(on).toMatchObject({ push: { branches: ['main'] } });
    expect(Object.entries(ofDeploy).map(([id, job]) => [id, job.needs])).toEqual([
      ['check', undefined],
      ['staging', 'check'],
      ['full-test', undefined],
      ['production', ['staging', 'full-test']],
    ]);
    expect(ofDeploy['full-test']).toMatchObject({ uses: './.github/workflows/full-test.yml' });
    expect(configOf('prod').protect).toBe(true);
    expect(ofDeploy.production).toMatchObject({ with: { stage: 'prod' } });
  });

  it('a deployment is never overtaken or cancelled by the next one', () => {
    expect(concurrency).toEqual({ group: 'deploy', 'cancel-in-progress': false });
    const job = RunningJob.parse(workflowOf('deploy-stage.yml').jobs.deploy);
    expect(job.concurrency?.['cancel-in-progress']).toBe(false);
  });

  it('a deployment waits for the reviewers of the environment before it assumes a role, and runs the smoke test afterwards', () => {
    const job = RunningJob.parse(workflowOf('deploy-stage.yml').jobs.deploy);
    expect(job.environment).toMatch(/^\$\{\{ inputs\.stage \}\}$/);
    const lines = job.steps.map(({ uses = '', run = '' }) => uses + run);
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const order = ['npm ci', 'configure-aws-credentials', 'npx cdk deploy --all', 'npm run smoke'].map(at);
    expect(order.every((position) => position >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    // Without --public the suite writes.
    for (const line of lines.filter((one) => one.includes('npm run conformance'))) expect(line).toContain('--public');
  });
});

describe('updates of dependencies', () => {
  interface Update {
    readonly 'package-ecosystem': string;
    readonly cooldown: Readonly<Record<string, number>>;
    readonly groups: Readonly<Record<string, { readonly patterns: readonly string[] }>>;
  }
  const { version, updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
    version: number;
    updates: readonly Update[];
  };

  it('updates of dependencies cover packages and actions, after a cooldown', () => {
    expect(version).toBe(2);
    expect(updates.map((one) => one['package-ecosystem'])).toEqual(['npm', 'github-actions']);
    for (const { cooldown } of updates) expect(cooldown['default-days']).toBeGreaterThanOrEqual(7);
    // The cooldown of actions does not distinguish semantic versions.
    expect(Object.keys(updates[1]?.cooldown ?? {})).toEqual(['default-days']);
  });

  it('updates of dependencies group related packages that exist, each in one group', () => {
    const names = Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
      '@smithy/core': '',
    });
    const fits = (pattern: string, name: string) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    const groups = Object.entries(updates[0]?.groups ?? {});
    for (const [group, { patterns }] of groups) {
      for (const pattern of patterns)
        expect([group, pattern, names.some((name) => fits(pattern, name))]).toEqual([group, pattern, true]);
    }
    const groupsOf = (name: string) => groups.filter(([, { patterns }]) => patterns.some((one) => fits(one, name)));
    for (const name of names) expect([name, groupsOf(name).length <= 1]).toEqual([name, true]);
  });
});
