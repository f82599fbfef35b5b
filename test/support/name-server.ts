import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode } from 'dns-packet';
import { afterAll, beforeEach } from 'vitest';

type Address = string;

/** A local name server. Names that it does not know do not exist. */
interface NameServer {
  /** The value of `CLAIM_DNS_SERVER`. */
  readonly address: string;
  /** How often each name was asked for its IPv4 addresses. */
  questions(name: string): number;
  /** Sets the addresses of a name: one list per question, the last one repeatedly. */
  host(name: string, ...answers: readonly (readonly Address[])[]): void;
  text(name: string, ...records: readonly (string | readonly string[])[]): void;
  /** Answers no question about a name. */
  silence(name: string): void;
}

/** Starts a name server on a free loopback port, which ends after the tests of the file and forgets all names before each. */
export const ownNameServer = async (): Promise<NameServer> => {
  const hosts = new Map<string, readonly (readonly Address[])[]>();
  const texts = new Map<string, readonly (string | readonly string[])[]>();
  const asked = new Map<string, number>();
  const silent = new Set<string>();
  const socket = createSocket('udp4');

  const answersTo = (name: string, type: string): Answer[] => {
    if (type === 'TXT') {
      return (texts.get(name) ?? []).map((data) => ({ type: 'TXT', name, data: [data].flat() }));
    }
    if (type !== 'A') return [];
    const lists = hosts.get(name) ?? [];
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    return (lists[Math.min(count, lists.length - 1)] ?? []).map((data) => ({ type: 'A', name, data }));
  };

  socket.on('message', (message, { port, address }) => {
    const query = decode(message);
    const [question] = query.questions ?? [];
    if (!question || silent.has(question.name)) return;
    const { name, type } = question;
    const answers = answersTo(name, type);
    const isKnown = hosts.has(name) || texts.has(name);
    const notFound = isKnown ? 0 : 3;
    socket.send(
      encode({ type: 'response', id: query.id ?? 0, flags: notFound, questions: [question], answers }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  afterAll(() => socket.close());
  beforeEach(() => {
    for (const known of [hosts, texts, asked, silent]) known.clear();
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: (name) => asked.get(name) ?? 0,
    host: (name, ...answers) => void hosts.set(name, answers),
    text: (name, ...records) => void texts.set(name, records),
    silence: (name) => void silent.add(name),
  };
};
