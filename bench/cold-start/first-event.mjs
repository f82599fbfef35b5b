// Started by bench/cold-start.ts, once per measurement, with a bundle and an event. It is no TypeScript: reading that would
// be a part of the time.
import { createRequire } from 'node:module';

const [bundle, event] = process.argv.slice(2);

// What the runtime of functions has loaded for itself before it comes to a function (aws-lambda-nodejs-runtime-interface-client).
const require = createRequire(import.meta.url);
for (const part of ['node:http', 'node:path', 'node:fs', 'node:stream', 'node:async_hooks']) require(part);

const readyAt = performance.now();
const { handler } = await import(bundle);
const importedAt = performance.now();
const answer = await handler(JSON.parse(event), {
  awsRequestId: 'cold-start',
  functionName: 'cold-start',
  getRemainingTimeInMillis: () => 10_000,
});
const answeredAt = performance.now();
const { user, system } = process.cpuUsage();

// The clock of `performance` begins with the process.
process.stdout.write(
  `\n${JSON.stringify({
    status: answer.statusCode,
    body: answer.statusCode < 400 ? undefined : answer.body,
    importMs: importedAt - readyAt,
    firstMs: answeredAt - importedAt,
    totalMs: answeredAt,
    cpuMs: (user + system) / 1000,
  })}\n`,
  () => process.exit(0),
);
