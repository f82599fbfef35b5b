import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../../bench/catalog/connection.ts';

let server: Server | undefined;

/** A server that answers every request with these pieces, one after the other. */
const answering = async (...pieces: readonly string[]): Promise<number> => {
  server = createServer((socket) => {
    const answer = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece);
        await wait(5);
      }
    };
    socket.on('data', () => void answer());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

afterEach(() => {
  server?.close();
});

describe("the load generator's connection", () => {
  it('reads an answer that comes in pieces, cut anywhere', async () => {
    const port = await answering('HTTP/1.1 200 OK\r\nContent-', 'Length: 11\r\n\r', '\nhello', ' world');
    const connection = new Connection(port);
    const { status, body } = await connection.read('/');
    expect([status, body.toString()]).toEqual([200, 'hello world']);
    connection.close();
  });

  it('asks again on the same connection', async () => {
    const port = await answering('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}');
    const connection = new Connection(port);
    for (const _ of [1, 2, 3]) expect((await connection.read('/')).status).toBe(404);
    connection.close();
  });

  it('does not take an answer for whole that does not say how long it is', async () => {
    const port = await answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n');
    const connection = new Connection(port);
    await expect(connection.read('/')).rejects.toThrow('does not say how long it is');
    connection.close();
  });
});
