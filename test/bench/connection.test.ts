import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../../bench/catalog/connection.ts';

let server: Server | undefined;

/** Starts a server that responds to every request with these chunks. */
const startServer = async (...chunks: readonly string[]): Promise<number> => {
  server = createServer((socket) => {
    const respond = async (): Promise<void> => {
      for (const chunk of chunks) {
        socket.write(chunk);
        await wait(5);
      }
    };
    socket.on('data', () => void respond());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

afterEach(() => {
  server?.close();
});

describe("the load generator's connection", () => {
  it('reads a response split into chunks at any position', async () => {
    const port = await startServer('HTTP/1.1 200 OK\r\nContent-', 'Length: 12\r\n\r', '\nhello', ' reader');
    const connection = new Connection(port);
    const { status, body } = await connection.read('/');
    expect([status, body.toString()]).toEqual([200, 'hello reader']);
    connection.close();
  });

  it('sends further requests on the same connection', async () => {
    const port = await startServer('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}');
    const connection = new Connection(port);
    for (const _ of [1, 2, 3]) expect((await connection.read('/')).status).toBe(404);
    connection.close();
  });

  it('rejects a response without Content-Length', async () => {
    const port = await startServer('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n');
    const connection = new Connection(port);
    await expect(connection.read('/')).rejects.toThrow('no Content-Length');
    connection.close();
  });
});
