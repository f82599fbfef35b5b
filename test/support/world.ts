import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { tiers } from '#contract/route.ts';
import type { ReceivedMail } from '#local/mail.ts';
import { endOrphanedEngine } from '#local/orphans.ts';
import { startWorld, type World, type WorldOptions } from '#local/world.ts';
import { holdToDocument } from './conformance.ts';

/** What a call sends beside method and path. */
export interface CallOptions {
  /** Sent as a bearer token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as JSON unless the headers say otherwise. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The test keeps the limiter from counting this call. */
  readonly uncounted?: boolean;
}

/** An answer with its body parsed if it is JSON, as text if not, and undefined if there is none. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What a token is asked for with. */
export interface TokenRequest {
  readonly email?: string;
  readonly client_id?: string;
  readonly name?: string;
  readonly admin?: boolean;
  readonly expires_in?: number;
}

/** A message as `/_local/events` lists it. */
export interface ListedEvent {
  readonly id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly data: unknown;
}

/** The ways into a world, wherever it runs. */
export interface Client {
  readonly url: string;
  /** The path is sent as it is written, without any tidying. @throws when the answer is not what the document says. */
  call(method: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  token(request: TokenRequest): Promise<string>;
  /** What went over the bus, newest first. */
  events(): Promise<ListedEvent[]>;
  /** The inbox, newest first. */
  mails(): Promise<ReceivedMail[]>;
  /** Waits until something is so. @throws with the last error when the time is up. */
  until(isSo: () => Promise<unknown>, timeoutMs?: number): Promise<void>;
  /** Gives up the connections. */
  close(): void;
}

/** A world of its own for one test file. */
export interface TestWorld extends Client {
  readonly world: World;
  stop(): Promise<void>;
}

const UNTIL_MS = 5000;
const EVERY_MS = 20;

const read = async (answer: IncomingMessage): Promise<unknown> => {
  const text = Buffer.concat(await answer.toArray()).toString('utf8');
  if (text === '') return undefined;
  return /\bjson\b/.test(answer.headers['content-type'] ?? '') ? (JSON.parse(text) as unknown) : text;
};

/** Calls a world by its address. Its answers are held to the document unless its routes are others than the service's. */
export const clientOf = (url: string, hold = holdToDocument): Client => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });

  const call = async (method: string, target: string, options: CallOptions = {}): Promise<CallAnswer> => {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers = {
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    const seen = await new Promise<CallAnswer>((resolve, reject) => {
      const sent = httpRequest({ agent, hostname, port, method, path: target, headers }, (answer) => {
        const head = new Headers();
        for (let position = 0; position + 1 < answer.rawHeaders.length; position += 2) {
          head.append(String(answer.rawHeaders[position]), String(answer.rawHeaders[position + 1]));
        }
        read(answer).then(
          (content) => resolve({ status: answer.statusCode ?? 0, headers: head, body: content }),
          reject,
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
    hold({ method, address: target, ...seen, uncounted: options.uncounted === true });
    return seen;
  };

  const list = async <T>(target: string): Promise<T[]> => {
    const { status, body } = await call('GET', target, { headers: { accept: 'application/json' } });
    if (status !== 200) throw new Error(`GET ${target} answered ${status}: ${JSON.stringify(body)}`);
    return (body as { data: T[] }).data;
  };

  return {
    url,
    call,
    token: async (request) => {
      const { status, body } = await call('POST', '/_local/token', { body: request });
      if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
      return (body as { access_token: string }).access_token;
    },
    events: () => list<ListedEvent>('/_local/events'),
    mails: () => list<ReceivedMail>('/_local/mail'),
    until: async (isSo, timeoutMs = UNTIL_MS) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        let failure: unknown;
        try {
          if (await isSo()) return;
        } catch (error) {
          failure = error;
        }
        if (performance.now() > deadline)
          throw new Error(`It did not come to be so within ${timeoutMs} ms.`, { cause: failure });
        await wait(EVERY_MS);
      }
    },
    close: () => agent.destroy(),
  };
};

const PREFIX = 'directory-world-';
const ABANDONED_AFTER_MS = 60_000;

const isHeld = (folder: string): boolean => {
  const lock = new DatabaseSync(path.join(folder, 'lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch {
    // Somebody has it, and that is the question.
    return true;
  } finally {
    lock.close();
  }
};

/** Takes away what test runs that were killed have left: their folders and their engines. */
const tidyAbandoned = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const folder = path.join(tmpdir(), name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (Date.now() - mtimeMs < ABANDONED_AFTER_MS || !existsSync(path.join(folder, 'lock')) || isHeld(folder)) continue;
    await endOrphanedEngine(path.join(folder, 'table.sqlite'), path.join(folder, 'engine.json'));
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A folder for a world's data that nobody else uses. */
export const temporaryDataDir = (): string => mkdtempSync(path.join(tmpdir(), PREFIX));

/** So high that no test meets them unasked. */
const NO_LIMITS = Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60']));

/**
 * Starts a world for a test file, empty, on a free port, with data that goes away with it. One per file: settings are read
 * once per process.
 */
export const startTestWorld = async (
  options: Partial<Omit<WorldOptions, 'port' | 'dataDir'>> = {},
): Promise<TestWorld> => {
  await tidyAbandoned();
  const dataDir = temporaryDataDir();
  try {
    const world = await startWorld({
      ...options,
      port: 0,
      dataDir,
      env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'CRITICAL', ...NO_LIMITS, ...options.env },
    });
    const hold = options.routes ? () => undefined : holdToDocument;
    const client = clientOf(`http://127.0.0.1:${world.port}`, hold);
    return {
      ...client,
      world,
      stop: async () => {
        client.close();
        await world.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
};
