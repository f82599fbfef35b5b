import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventStreams } from '#lib/bundling/event-streams.ts';
import { jsonSchema } from '#lib/bundling/json-schema.ts';
import { nodeModules } from '#lib/bundling/node-modules.ts';
import { ssmErrors } from '#lib/bundling/ssm-errors.ts';
import { stripeResources } from '#lib/bundling/stripe-resources.ts';
import { unusedDeclarations, withoutEffects } from '#lib/bundling/unused-declarations.ts';
import { defaultProvider } from '#platform/runtime-credentials.ts';

/** What is left out of bundles: that it is gone, that what is left works, and that what is gone says so. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundling-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let made = 0;
/** Bundles a few lines of code that stand in the project's root, with some plugins, and loads them. */
const bundled = async (code: string, ...plugins: Plugin[]) => {
  made += 1;
  const file = join(folder, `${made}.mjs`);
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    outfile: file,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    plugins: [nodeModules, ...plugins],
    metafile: true,
  });
  const exported = (await import(pathToFileURL(file).href)) as Record<string, (...given: unknown[]) => unknown>;
  return { exported, file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
};

describe('the payment provider', () => {
  const code = `
    import Stripe from 'stripe';
    const stripe = new Stripe('sk_test_none', { host: '127.0.0.1', port: 1, protocol: 'http', maxNetworkRetries: 0 });
    export const ask = () => stripe.checkout.sessions.retrieve('cs_1');
    export const give = () => stripe.refunds.create({ payment_intent: 'pi_1' });
    export const others = () => stripe.customers.create({});
    export const check = (body, secret) =>
      Stripe.webhooks.constructEvent(body, Stripe.webhooks.generateTestHeaderString({ payload: body, secret }), secret).type;`;

  it('is asked for checkouts and refunds, and its signatures are checked', async () => {
    const {
      exported: { ask, give, check },
      bytes,
    } = await bundled(code, stripeResources);
    await expect(ask?.()).rejects.toMatchObject({ type: 'StripeConnectionError' });
    await expect(give?.()).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(check?.(JSON.stringify({ object: 'event', type: 'charge.refunded' }), 'whsec_x')).toBe('charge.refunded');
    expect(bytes).toBeLessThan(125_000);
  });

  it('says so when it is asked for what was left out', async () => {
    const {
      exported: { others },
    } = await bundled(code, stripeResources);
    expect(() => others?.()).toThrow(
      'Bundles have no create of resources/Customers.js: lib/bundling/stripe-resources.ts',
    );
  });

  it('is asked in the one module that says what it may be asked for', () => {
    const source = readFileSync('shared/platform/stripe.ts', 'utf8');
    const asked = [...source.matchAll(/\bstripe\.(\w+)\./g)].map(([, resource]) => resource);
    expect([...new Set(asked)].sort()).toEqual(['checkout', 'refunds']);
    const importers = globSync('{shared,functions}/**/*.ts').filter((file) =>
      /from 'stripe'/.test(readFileSync(file, 'utf8')),
    );
    expect(importers).toEqual(['shared/platform/stripe.ts']);
  });
});

describe('the store of secrets', () => {
  const code = `
    import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
    const client = new SSMClient({
      region: 'eu-central-1',
      endpoint: 'http://ssm.test',
      maxAttempts: 1,
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      requestHandler: {
        handle: async () => ({
          response: {
            statusCode: 400,
            headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': 'ParameterNotFound' },
            body: new Blob([JSON.stringify({ __type: 'ParameterNotFound' })]).stream(),
          },
        }),
      },
    });
    export const ask = () => client.send(new GetParameterCommand({ Name: '/none' }));`;

  it('says by a name that there is no such secret, without the class of that name', async () => {
    const {
      exported: { ask },
      bytes,
    } = await bundled(code, ssmErrors);
    await expect(ask?.()).rejects.toSatisfy((error) => error instanceof Error && error.name === 'ParameterNotFound');
    expect(bytes).toBeLessThan((await bundled(code)).bytes - 40_000);
  });

  it('is not asked for classes of errors by anybody', () => {
    const named = globSync('{shared,functions}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-ssm'/g)].flatMap(
        ([, names = '']) => names.split(',').map((name) => name.trim()),
      ),
    );
    expect([...new Set(named)].sort()).toEqual(['GetParameterCommand', 'SSMClient']);
  });
});

describe('parts of Node', () => {
  it('are there under every way to ask for them', async () => {
    const {
      exported: { all },
    } = await bundled(`
      import { join } from 'node:path';
      import crypto, { createHash } from 'crypto';
      import * as os from 'node:os';
      export const all = async () => {
        const { setTimeout: wait } = await import('node:timers/promises');
        await wait(1);
        return [join('a', 'b'), crypto.createHash === createHash, typeof os.cpus, typeof require('node:fs').readFileSync];
      };`);
    expect(await all?.()).toEqual(['a/b', true, 'function', 'function']);
  });

  it('are not loaded whole because of one thing that is used', async () => {
    const { file } = await bundled("import { request } from 'node:http'; export const x = () => typeof request;");
    // A process of its own: this one has loaded much already.
    const program = `
      const { x } = await import(process.argv[1]);
      console.log(x(), process.moduleLoadList.filter((name) => name.includes('undici')).length);`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { env: {} }).toString();
    expect(said.trim()).toBe('function 0');
  });
});

describe('schemas', () => {
  it('check what they checked before, and do not write JSON Schema', async () => {
    const {
      exported: { read, write },
    } = await bundled(
      `
      import * as z from 'zod';
      const Thing = z.object({ name: z.string().max(3).describe('x') }).meta({ id: 'Thing' });
      export const read = (value) => Thing.safeParse(value).success;
      export const write = () => z.toJSONSchema(Thing);`,
      jsonSchema,
    );
    expect([read?.({ name: 'abc' }), read?.({ name: 'abcd' })]).toEqual([true, false]);
    expect(() => write?.()).toThrow('Bundles do not write JSON Schema');
  });

  it('are those of the route that is asked for', async () => {
    const code = "import { withdraw } from '#contract/votes.ts'; export const path = () => withdraw.path;";
    const {
      exported: { path },
      bytes,
    } = await bundled(code, unusedDeclarations);
    expect(path?.()).toBe('/api/projects/{project}/upvote');
    expect(bytes).toBeLessThan((await bundled(code)).bytes);
  });
});

describe('declarations without effects', () => {
  it('mean what they meant, on the lines on which they stood', async () => {
    const source = [
      "import * as z from 'zod';",
      '',
      '/** A word; with = and ; in it. */',
      "export const word = 'a = b;';",
      'const half = (value: number): number => {',
      '  const two = 2;',
      '  return value / two;',
      '};',
      'export const Sizes: Readonly<Record<string, number>> = {',
      '  small: half(2),',
      '  large: half(4),',
      '};',
      'export const Size = z',
      '  .object({ size: z.number() })',
      '  .check(({ value }) => {',
      '    if (value.size < 0) throw new Error();',
      '  });',
      'export const both = [word, Sizes] as const satisfies readonly unknown[];',
      'export type Size = z.infer<typeof Size>;',
      '',
    ].join('\n');
    const changed = withoutEffects(source);
    expect(changed.split('\n')).toHaveLength(source.split('\n').length);
    for (const line of ['export const both', 'export type Size', 'export const Size = ']) {
      const lineOf = (text: string) => text.split('\n').findIndex((one) => one.startsWith(line));
      expect(lineOf(changed)).toBe(lineOf(source));
    }
    const {
      exported: { told },
    } = await bundled(`${changed}\nexport const told = () => [both, Size.safeParse({ size: 1 }).success];`);
    expect(told?.()).toEqual([[['a = b;', { small: 1, large: 2 }][0], { small: 1, large: 2 }], true]);
  });

  it('are dropped where nobody uses them', async () => {
    const { bytes } = await bundled(
      withoutEffects("const unused = String('never to be seen');\nexport const x = () => 1;\n"),
    );
    expect(bytes).toBeLessThan(40);
  });

  it('name what is not formatted', () => {
    expect(() => withoutEffects('const a = f(\n  1,\n)')).toThrow(
      'This declaration does not end, is it formatted? const a',
    );
  });
});

describe('credentials', () => {
  it('are those of the runtime', async () => {
    const before = { ...process.env };
    try {
      Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_SESSION_TOKEN: 'token' });
      expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' });
      delete process.env.AWS_SESSION_TOKEN;
      expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'key' });
      delete process.env.AWS_ACCESS_KEY_ID;
      await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID');
    } finally {
      process.env = before;
    }
  });
});

it('streams of events are loaded by nobody', async () => {
  const {
    exported: { load },
  } = await bundled("export const load = () => import('@smithy/core/event-streams');", eventStreams);
  await expect(load?.()).rejects.toThrow('Bundles have no @smithy/core/event-streams');
});
