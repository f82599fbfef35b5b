import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { App } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { StageOverrides } from '#lib/config/schema.ts';
import { parseSettings } from '#lib/config.ts';
import { handlerFiles } from '#lib/handlers.ts';
import { stacksOf } from '#lib/stacks.ts';
import cdk from '../../cdk.json' with { type: 'json' };
import { compilers, filesOf, type Installed, installPackage, nodes } from './installed.ts';

/** The package as another project uses it: packed, installed in an empty folder, compiled, bundled and run there. */

/** A limit for a compiler or a synthesis that hangs. A busy machine takes minutes for some of them. */
const TIMEOUT_MS = 600_000;

let installed: Installed;
beforeAll(() => {
  installed = installPackage();
}, TIMEOUT_MS);
afterAll(() => rmSync(installed.folder, { recursive: true, force: true }));

const CLIENT = `
import { createClient, type FieldValues } from 'directory-listing-service/client';
import { table } from 'directory-listing-service/client/schemas';
import { Submission } from 'directory-listing-service/client/schemas/projects';

const sent: string[] = [];
const client = createClient({
  baseUrl: 'https://api.directory.example',
  fetch: async (input, init) => {
    sent.push(\`\${init?.method} \${String(input)}\`);
    return Response.json({ data: [], meta: { total: 3 } });
  },
});
const list = await client.projects.list({ query: { q: 'tea', limit: 2 } });
if (list.status === 200) {
  const total: number = list.body.meta.total;
  sent.push(String(total));
}
const definitions = [
  { key: 'seats', type: 'number' },
  { key: 'color', type: 'select', options: [{ value: 'red' }, { value: 'blue' }] },
] as const;
if (list.status === 200) {
  const fields = list.body.data.map((project) => project.fields as FieldValues<typeof definitions> | undefined);
  const seats: number = fields.reduce((sum, one) => sum + (one?.seats ?? 0), 0);
  const color: 'red' | 'blue' | undefined = fields[0]?.color;
  sent.push(\`\${seats} \${color}\`);
}
const valid = Submission.safeParse({ plan: 'standard' });
const same = table.projects.submit.body === Submission;
console.log(JSON.stringify({ sent, valid: valid.success, same }));
`;

const SETTINGS: StageOverrides = { site: { name: 'Mine', url: 'https://mine.org' } };

const APP = `
import { App, CfnOutput, Stack, Stage } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Directory, type DirectorySettings } from 'directory-listing-service';

const settings: DirectorySettings = { stage: 'mine', ...${JSON.stringify(SETTINGS)} };
const env = { account: '111122223333', region: 'eu-west-1' };

/** Uses properties of the directory in a stack of the surrounding app. */
const use = (stack: Stack, directory: Directory): void => {
  const queue = new Queue(stack, 'Approvals', { enforceSSL: true });
  new Rule(stack, 'OnApproval', {
    eventBus: directory.bus,
    eventPattern: { detailType: ['projectApproved'] },
    targets: [new SqsQueue(queue)],
  });
  new CfnOutput(stack, 'Api', { value: directory.url });
  new CfnOutput(stack, 'KeyedApi', { value: directory.keyedUrl });
  new CfnOutput(stack, 'Table', { value: directory.table.tableName });
  new CfnOutput(stack, 'Pool', { value: directory.userPool?.userPoolId ?? 'none' });
};

const app = new App({ outdir: 'in-app' });
use(new Stack(app, 'Own'), new Directory(app, 'Directory', settings));
app.synth();

const staged = new App({ outdir: 'in-stage' });
const stage = new Stage(staged, 'Production', { env });
use(new Stack(stage, 'Own'), new Directory(stage, 'Directory', settings));
staged.synth();

const stacked = new App({ outdir: 'in-stack' });
const stack = new Stack(stacked, 'Own', { env });
use(stack, new Directory(stack, 'Directory', settings));
stacked.synth();

try {
  new Directory(new App(), 'Directory', { stage: 'Wrong', logDays: 8 as 7 });
} catch (error) {
  console.log((error as Error).message);
}
`;

/** Each line has an error, so no type is `any`. */
const WRONG = `
import { createClient, type FieldValues } from 'directory-listing-service/client';
import { Directory } from 'directory-listing-service';
const client = createClient({ baseUrl: 'https://mine.org' });
void client.projects.read();
void client.projects.list({ query: { sort: 'colour' } });
void client.projects.list().then((response) => response.status === 200 && response.body.meta.total.length);
new Directory(undefined as never, 'Directory', {});
new Directory(undefined as never, 'Directory', { stage: 'mine', retain: 'yes' });
void ((undefined as unknown as FieldValues<[{ key: 'seats'; type: 'number' }]>).seats satisfies string | undefined);
`;

/** As in an app that `cdk init` creates. */
const COMMON_JS = `
import { App } from 'aws-cdk-lib';
import { Directory } from 'directory-listing-service';
import { createClient } from 'directory-listing-service/client';
const directory = new Directory(new App(), 'Directory', { stage: 'mine' });
console.log(directory.stacks.api.stackName, typeof createClient({ baseUrl: 'https://mine.org' }).projects.list);
`;

const strict = { strict: true, noEmit: true, types: [] as string[] };

it('the contents of the package are compiled code, declarations and the bundles of all functions', () => {
  const files = filesOf(installed.packageFolder);
  expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  const functions = files.filter((file) => file.startsWith('dist/functions/'));
  const console = functions.filter((file) => /^dist\/functions\/console\/[\w-]+\/console\//.test(file));
  expect(console).toContain('dist/functions/console/read/console/page-1.html');
  expect(console).toContain('dist/functions/console/open-docs/console/reference-0.html');
  const site = functions.filter((file) => file.startsWith('dist/functions/site/read/site/'));
  expect(site).toContain('dist/functions/site/read/site/assets.json');
  expect(functions.filter((file) => !console.includes(file) && !site.includes(file)).toSorted()).toEqual(
    handlerFiles.map(({ path }) => `dist/functions/${path}/index.mjs`).toSorted(),
  );
  expect(files.filter((file) => !file.startsWith('dist/')).toSorted()).toEqual([
    'LICENSE',
    'NOTICE.md',
    'README.md',
    'docs/events.md',
    'docs/reuse.md',
    'package.json',
  ]);
});

it('the contents of the package import only the dependency and the peers of the package', () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed.packageFolder, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'peerDependencies', Record<string, string>>;
  const allowed = new Set(['zod', ...Object.keys(peerDependencies)]);
  expect(Object.keys(dependencies)).toContain('zod');
  const wrong = filesOf(join(installed.packageFolder, 'dist/npm')).flatMap((file) =>
    [
      ...readFileSync(join(installed.packageFolder, 'dist/npm', file), 'utf8').matchAll(
        /^.*? from ["']([^"']+)["'];$/gm,
      ),
    ]
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !/^(?:\.{1,2}\/|node:)/.test(specifier) && !allowed.has(specifier.split('/')[0] ?? ''))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

describe.each(compilers())('with the compiler %s', { timeout: TIMEOUT_MS }, (tsc) => {
  const compile = (project: object, files: Readonly<Record<string, string>>): string => {
    for (const [file, text] of Object.entries(files)) installed.write(file, text);
    installed.write('tsconfig.json', JSON.stringify({ ...project, files: Object.keys(files) }));
    try {
      return execFileSync(process.execPath, [tsc, '-p', installed.folder], { encoding: 'utf8' });
    } catch (error) {
      return String((error as { stdout?: string }).stdout);
    }
  };

  it.each([
    ['Node', { module: 'nodenext', target: 'es2022', types: ['node'] }],
    ['a browser', { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'] }],
  ])('the client and the schemas compile for %s', (_, platform) => {
    expect(compile({ compilerOptions: { ...strict, ...platform } }, { 'client.ts': CLIENT })).toBe('');
  });

  it('an app with the construct compiles', () => {
    const compilerOptions = { ...strict, module: 'nodenext', target: 'es2022', types: ['node'] };
    expect(compile({ compilerOptions }, { 'app.ts': APP, 'common.cts': COMMON_JS })).toBe('');
  });

  it('wrong calls and settings do not compile', () => {
    const compilerOptions = { ...strict, module: 'nodenext', target: 'es2022', types: ['node'] };
    const errors = compile({ compilerOptions }, { 'wrong.ts': WRONG });
    const lines = [...errors.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect([...new Set(lines)]).toEqual([5, 6, 7, 8, 9, 10]);
  });
});

/** The JavaScript of a script in TypeScript, in a file of the project. */
const compiled = async (file: string, text: string, format: 'esm' | 'cjs' = 'esm'): Promise<string> => {
  const script = `${file}.${format === 'esm' ? 'mjs' : 'cjs'}`;
  installed.write(`${file}.ts`, text);
  await build({
    entryPoints: [join(installed.folder, `${file}.ts`)],
    outfile: join(installed.folder, script),
    format,
    logLevel: 'warning',
  });
  return script;
};

interface Artifact {
  readonly type: string;
  readonly environment?: string;
  readonly displayName?: string;
  readonly properties?: { readonly templateFile: string; readonly stackName?: string };
}

/** The stacks of an assembly that the app wrote. */
const stacksIn = (outdir: string) => {
  const text = readFileSync(join(installed.folder, outdir, 'manifest.json'), 'utf8');
  return Object.entries((JSON.parse(text) as { artifacts: Record<string, Artifact> }).artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([id, { environment, properties }]) => ({
      name: properties?.stackName ?? id,
      environment,
      file: join(installed.folder, outdir, properties?.templateFile ?? ''),
    }));
};

const templateOf = (outdir: string, name: string): string => {
  const file = stacksIn(outdir).find((stack) => stack.name === name)?.file;
  return JSON.stringify(JSON.parse(readFileSync(file ?? '', 'utf8')));
};

describe.each(nodes())('with %s', { timeout: TIMEOUT_MS }, (node) => {
  /** What the app printed; its assemblies are in folders of the project. */
  let printed = '';
  beforeAll(async () => {
    printed = installed.node(await compiled('app', APP), node);
  }, TIMEOUT_MS);

  it('the client and the schemas work', async () => {
    expect(JSON.parse(installed.node(await compiled('client', CLIENT), node))).toEqual({
      sent: ['GET https://api.directory.example/api/projects?q=tea&limit=2', '3', '0 undefined'],
      valid: false,
      same: true,
    });
  });

  it('a CommonJS app can use both', async () => {
    expect(installed.node(await compiled('common', COMMON_JS, 'cjs'), node)).toContain('directory-mine-api function');
  });

  it('the construct adds the stacks to an app, a stage and a stack, in their environments', () => {
    expect(printed).toContain('The settings of stage "Wrong" are invalid: ');
    expect(printed).toContain('logDays: ');
    const inRegion = 'aws://111122223333/eu-west-1';
    for (const [outdir, own, environment] of [
      ['in-app', 'Own', 'aws://unknown-account/unknown-region'],
      ['in-stage/assembly-Production', 'Production-Own', inRegion],
      ['in-stack', 'Own', inRegion],
    ] as const) {
      const stacks = stacksIn(outdir);
      expect(stacks.map(({ name }) => name).toSorted()).toEqual(
        [own, 'directory-mine-api', 'directory-mine-data', 'directory-mine-events'].toSorted(),
      );
      expect(new Set(stacks.map((stack) => stack.environment))).toEqual(new Set([environment]));
      // The rule of the app is on the bus of the service.
      expect(templateOf(outdir, own)).toMatch(/"EventBusName":\{"Fn::ImportValue":"directory-mine-events:/);
    }
  });

  it('the construct has the resources and the code of this repository', () => {
    const own = new App({ outdir: join(installed.folder, 'repository'), context: cdk.context });
    stacksOf(new Construct(own, 'Directory'), parseSettings('mine', SETTINGS));
    own.synth();
    // The names of nested templates contain their digest, and that of descriptions that differ.
    const resourcesIn = (outdir: string) =>
      Object.fromEntries(
        globSync('*.template.json', { cwd: join(installed.folder, outdir) })
          .filter((file) => file.includes('directory-mine-') || file.includes('directorymine'))
          .map((file) => {
            const text = readFileSync(join(installed.folder, outdir, file), 'utf8');
            const { Resources } = JSON.parse(text.replaceAll(/\/[0-9a-f]{64}\.json/g, '/template.json')) as {
              Resources: object;
            };
            return [file, Resources];
          }),
      );
    const packaged = resourcesIn('in-app');
    // Three stacks, a nested one per gateway and per domain of routes.
    const domains = new Set(routes.map(({ id }) => id.split('.')[0]));
    expect(Object.keys(packaged)).toHaveLength(3 + 2 + domains.size);
    expect(packaged).toEqual(resourcesIn('repository'));
  });
});

describe('the client in a browser bundle', () => {
  const bundled = async (text: string): Promise<string> => {
    installed.write('browser.js', text);
    const { outputFiles } = await build({
      entryPoints: [join(installed.folder, 'browser.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
      logLevel: 'warning',
    });
    return outputFiles[0]?.text ?? '';
  };

  it('the client in a browser bundle has at most 2.5 KB with gzip and no schemas', async () => {
    const text = await bundled(
      "import { createClient } from 'directory-listing-service/client'; console.log(createClient);",
    );
    expect(text).toContain('POST /projects');
    expect(gzipSync(text).length).toBeLessThanOrEqual(2560);
  });

  it('the client in a browser bundle contains only the schemas that it uses', async () => {
    const all = await bundled("import { table } from 'directory-listing-service/client/schemas'; console.log(table);");
    const one = await bundled(
      "import { Submission } from 'directory-listing-service/client/schemas/projects'; console.log(Submission);",
    );
    expect(all).toContain('/api/admin/projects');
    expect(one).not.toContain('/api/');
  });
});
