import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Answers known bytes from memory and does nothing else: what Node's own server costs. Started by bench/catalog/http.ts with the
 * file of the answers by path.
 */

const answers = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, string>).map(
    ([path, body]) => [path, Buffer.from(body)],
  ),
);

const server = createServer((request, response) => {
  const body = answers.get(request.url ?? '');
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
