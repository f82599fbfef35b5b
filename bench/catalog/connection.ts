import { connect, type Socket } from 'node:net';

/** What came back. */
export interface Answer {
  readonly status: number;
  /** Undefined where only the status was asked for. */
  readonly body: Buffer | undefined;
}

type Done = (error: Error | undefined, answer: Answer | undefined) => void;

const HEAD_END = Buffer.from('\r\n\r\n');
const READ_BYTES = 256 * 1024;

/** The bytes of a GET request, to be sent many times. */
export const requestOf = (path: string): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n`);

/**
 * One kept-alive connection to a server on the loopback that has one request on its way at a time. It does what a measurement
 * needs and no more, so that it costs a small part of what the fastest server does: it reads the status and the length and passes
 * over the rest.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #done: Done | undefined;
  #keepsBody = false;
  #head: Buffer | undefined;
  #status = 0;
  #missing = 0;
  #body: Buffer[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request and calls back when its answer has come whole. */
  ask(request: Buffer, keepsBody: boolean, done: Done): void {
    this.#done = done;
    this.#keepsBody = keepsBody;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  /** Sends a request and reads the whole answer. */
  read(path: string): Promise<{ status: number; body: Buffer }> {
    return new Promise((resolve, reject) => {
      this.ask(requestOf(path), true, (error, answer) => {
        if (answer?.body) resolve({ status: answer.status, body: answer.body });
        else reject(error ?? new Error('There was no body.'));
      });
    });
  }

  close(): void {
    this.#done = undefined;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({
      host: '127.0.0.1',
      port: this.#port,
      noDelay: true,
      // One buffer for all that comes: allocating one per read would cost more than reading.
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (length, buffer) => {
          this.#take((buffer as Buffer).subarray(0, length));
          return true;
        },
      },
    });
    const fail = (error?: Error): void => {
      this.#socket = undefined;
      this.#finish(error ?? new Error('The server closed the connection.'), undefined);
    };
    return socket.once('error', fail).once('close', () => fail());
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    if (this.#missing === 0) {
      const begun = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
      const end = begun.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(begun);
        return;
      }
      this.#head = undefined;
      const head = begun.toString('latin1', 0, end);
      this.#status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined && this.#status !== 304) {
        this.#finish(new Error(`An answer does not say how long it is:\n${head}`), undefined);
        return;
      }
      this.#missing = Number(length ?? 0);
      rest = begun.subarray(end + HEAD_END.length);
    }
    this.#missing -= rest.length;
    if (this.#keepsBody) this.#body.push(Buffer.from(rest));
    if (this.#missing > 0) return;
    const body = this.#keepsBody ? Buffer.concat(this.#body) : undefined;
    this.#body = [];
    this.#missing = 0;
    this.#finish(undefined, { status: this.#status, body });
  }

  #finish(error: Error | undefined, answer: Answer | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(error, answer);
  }
}
