import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves fixed responses from memory, to measure Node's HTTP server itself. Started by http.ts with a file of bodies by
 * path.
 */

const responses = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, string>).map(
    ([path, body]) => [path, Buffer.from(body)],
  ),
);

const server = createServer((request, response) => {
  const body = responses.get(request.url ?? '');
  if (!body) {
    response.writeHead(404, { 'content-length': '0' }).end();
    return;
  }
  response
    .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    .end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));
