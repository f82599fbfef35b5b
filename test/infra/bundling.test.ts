import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '#lib/bundle.ts';
import { configFiles } from '#lib/bundling/config-files.ts';
import { eventStreams } from '#lib/bundling/event-streams.ts';
import { jsonSchema } from '#lib/bundling/json-schema.ts';
import { nodeModules } from '#lib/bundling/node-modules.ts';
import { ssmErrors } from '#lib/bundling/ssm-errors.ts';
import { stripeResources } from '#lib/bundling/stripe-resources.ts';
import { tableErrors } from '#lib/bundling/table-errors.ts';
import { unusedDeclarations, withoutEffects } from '#lib/bundling/unused-declarations.ts';
import { webParts } from '#lib/bundling/web-parts.ts';
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
    ...bundleOptions,
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    outfile: file,
    plugins: [nodeModules, ...plugins],
    metafile: true,
    logLevel: 'error',
  });
  const exported = (await import(pathToFileURL(file).href)) as Record<string, (...given: unknown[]) => unknown>;
  return { exported, file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
};

/** What `run` of a bundle gives in a process of its own, this one having loaded much already, and what Node has loaded for it. */
const loadedBy = (file: string): { given: unknown; parts: string[] } => {
  const program = `
    process.getBuiltinModule('node:http');
    const before = new Set(process.moduleLoadList);
    const { run } = await import(process.argv[1]);
    const given = await run();
    const parts = process.moduleLoadList.filter((name) => !before.has(name));
    console.log(JSON.stringify({ given, parts }));`;
  const env = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' };
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { env }).toString(),
  ) as { given: unknown; parts: string[] };
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
    const { file } = await bundled(`
      import { request } from 'node:http';
      import { ReadStream, readFileSync } from 'node:fs';
      import { promisify } from 'node:util';
      export const run = () => [typeof request, typeof readFileSync, typeof promisify];
      export const isFile = (stream) => stream instanceof ReadStream;`);
    expect(loadedBy(file)).toEqual({
      given: ['function', 'function', 'function'],
      // Of `http`, of `fs`, of `util`.
      parts: expect.not.arrayContaining([
        expect.stringContaining('undici'),
        expect.stringContaining('fs/streams'),
        expect.stringContaining('worker'),
      ]),
    });
  });

  it('are not loaded at all where nothing of them is used', async () => {
    const { bytes } = await bundled("import 'node:zlib'; import { cpus } from 'node:os'; export const x = () => 1;");
    expect(bytes).toBeLessThan(40);
  });
});

describe('the table', () => {
  /** A client that asks the server which the process was told of, and what it says when it is refused. */
  const code = `
    import { DynamoDBClient, GetItemCommand, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
    import { createServer } from 'node:http';
    const ask = async (answer, status) => {
      const server = createServer((request, response) => {
        request.resume().once('end', () => response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer));
      });
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
      const client = new DynamoDBClient({ endpoint: 'http://127.0.0.1:' + server.address().port, maxAttempts: 1 });
      try {
        return await client.send(new GetItemCommand({ TableName: 'one', Key: { pk: { S: 'one' } } }));
      } catch (error) {
        return [error.name, error instanceof TransactionCanceledException, error.CancellationReasons?.[0]?.Code];
      } finally {
        client.destroy();
        server.close();
      }
    };
    const refusal = (name, more) => ask(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#' + name, ...more }), 400);
    export const run = async () => [
      (await ask('{"Item":{"pk":{"S":"one"}}}', 200)).Item,
      await refusal('TransactionCanceledException', { CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] }),
      await refusal('BackupInUseException'),
    ];`;
  const plugins = [configFiles, webParts, tableErrors, eventStreams];

  it('is read without files of configuration and the parts of the web, and its errors are told apart', async () => {
    const { file } = await bundled(code, ...plugins);
    const { given, parts } = loadedBy(file);
    expect(given).toEqual([
      { pk: { S: 'one' } },
      ['TransactionCanceledException', true, 'ConditionalCheckFailed'],
      ['BackupInUseException', false, null],
    ]);
    expect(parts.filter((name) => /fs\/promises|webstreams|webcrypto|undici/.test(name))).toEqual([]);
  });

  it('has its errors by class where anybody asks for one', () => {
    const named = globSync('{shared,functions}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-dynamodb'/g)].flatMap(
        ([, names = '']) => names.split(',').map((name) => name.trim()),
      ),
    );
    // Those that are left out have no registration; each of these has one, by `KEPT` in lib/bundling/table-errors.ts.
    expect(
      [...new Set(named)].filter(
        (name) => !/^(?:DynamoDBClient|ConditionalCheckFailedException|Transaction\w+)$/.test(name),
      ),
    ).toEqual([]);
  });

  it('weighs less', async () => {
    expect((await bundled(code, ...plugins)).bytes).toBeLessThan((await bundled(code, eventStreams)).bytes - 8000);
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
