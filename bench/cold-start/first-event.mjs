// Started by bench/cold-start.ts, once per measurement, with a bundle and an event. In JavaScript, because stripping types
// would take time.
import { createRequire } from 'node:module';

const [bundle, event] = process.argv.slice(2);

// Modules that the Lambda runtime (aws-lambda-nodejs-runtime-interface-client) loads before the function.
const require = createRequire(import.meta.url);
for (const part of ['node:http', 'node:path', 'node:fs', 'node:stream', 'node:async_hooks']) require(part);

const readyAt = performance.now();
const { handler } = await import(bundle);
const importedAt = performance.now();
const response = await handler(JSON.parse(event), {
  awsRequestId: 'cold-start',
  functionName: 'cold-start',
  getRemainingTimeInMillis: () => 10_000,
});
const respondedAt = performance.now();
const { user, system } = process.cpuUsage();

// `performance.now()` starts with the process.
process.stdout.write(
  `\n${JSON.stringify({
    status: response.statusCode,
    body: response.statusCode < 400 ? undefined : response.body,
    importMs: importedAt - readyAt,
    firstMs: respondedAt - importedAt,
    totalMs: respondedAt,
    cpuMs: (user + system) / 1000,
  })}\n`,
  () => process.exit(0),
);
