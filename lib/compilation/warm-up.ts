import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Script } from 'node:vm';

/**
 * `node warm-up.ts <folder>`: runs the `function.js` there once and keeps what V8 has made of it until then, so that the
 * functions which a start needs are in it and the others are not. It works against a server that answers everything with
 * an empty object: how far a function gets with that only decides how much of it is kept.
 */

const LONGEST_MS = 3000;

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const nowhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// Nothing that the function says or asks may leave this process.
Object.assign(process.env, {
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL: nowhere,
  BUS_NAME: 'none',
  LOG_LEVEL: 'SILENT',
  MAIL_FROM: 'nobody@example.com',
  OIDC_ISSUER: nowhere,
  OIDC_JWKS_URI: nowhere,
  STRIPE_API_BASE: nowhere,
  TABLE_NAME: 'none',
});
// The one thing that the runtime of functions has and Node has not.
Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });

const folder = process.argv[2] ?? '';
const script = new Script(readFileSync(join(folder, 'function.js'), 'latin1'), {
  filename: join(folder, 'index.mjs'),
  lineOffset: -1,
});
const { handler } = script.runInThisContext()() as { handler: (...given: unknown[]) => Promise<unknown> };

const event = {
  resource: '/',
  path: '/',
  httpMethod: 'GET',
  headers: {},
  multiValueQueryStringParameters: null,
  pathParameters: null,
  requestContext: { requestId: 'warm-up', identity: { sourceIp: '127.0.0.1' } },
  body: null,
  isBase64Encoded: false,
  Records: [],
};
const context = { awsRequestId: 'warm-up', functionName: 'warm-up', getRemainingTimeInMillis: () => LONGEST_MS };
const run = async (): Promise<void> => {
  // It is no event that any function waits for, and most say so.
  await handler(event, context).catch(() => undefined);
};
await Promise.race([run(), wait(LONGEST_MS)]);

// Under this name `index.mjs` looks for it.
const start = 'gc' in globalThis ? '-gc' : '';
writeFileSync(join(folder, `${process.version}-${process.arch}${start}.cache`), script.createCachedData());
process.exit(0);
