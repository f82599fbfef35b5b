import { fork } from 'node:child_process';
import { once } from 'node:events';

/** What is to be measured, as one process tells another. */
export interface Task {
  /** 0: what the process has in itself. */
  readonly port: number;
  readonly paths: readonly string[];
  /** How many requests are on their way at a time. */
  readonly together: number;
  readonly milliseconds: number;
}

/** What was measured. */
export interface Measured {
  /** Milliseconds from the beginning of each request to the end of its answer. */
  readonly times: readonly number[];
  readonly perSecond: number;
  /** The share of one core that the measuring process itself took. */
  readonly load: number;
}

/** Sends a request and waits for its answer; `position` counts them. */
export type Send = (position: number) => Promise<void>;

/** Keeps so many requests going for a while; `senders` has one for each of them. */
export const keepAsking = async (senders: readonly Send[], { milliseconds }: Task): Promise<Measured> => {
  const times: number[] = [];
  let position = 0;
  const cpu = process.cpuUsage();
  const beganAt = performance.now();
  const until = beganAt + milliseconds;
  const ask = async (send: Send): Promise<void> => {
    for (let from = beganAt; from < until; ) {
      position += 1;
      await send(position);
      const answeredAt = performance.now();
      times.push(answeredAt - from);
      from = answeredAt;
    }
  };
  await Promise.all(senders.map(ask));
  const elapsed = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(cpu);
  return { times, perSecond: (times.length * 1000) / elapsed, load: (user + system) / 1000 / elapsed };
};

/** Does tasks for the process that forked this one, until that lets go of it. */
export const answerTasks = (work: (task: Task) => Promise<Measured>): void => {
  process.on('message', (task: Task) => {
    work(task).then(
      (measured) => process.send?.({ measured }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
};

/** A process that does tasks. */
export interface Worker {
  measure(task: Task): Promise<Measured>;
  stop(): Promise<void>;
}

type Told = { readonly ready: true } | { readonly measured: Measured } | { readonly failure: string };

/** Starts a process that does tasks. */
export const startWorker = async (file: string, env: Readonly<Record<string, string>> = {}): Promise<Worker> => {
  const child = fork(file, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const gone = ended.then(([code]) => {
    throw new Error(`${file} ended with ${code}.`);
  });
  gone.catch(() => undefined);
  const told = async (): Promise<Told> => {
    const [message] = (await Promise.race([once(child, 'message'), gone])) as [Told];
    return message;
  };
  await told();
  return {
    measure: async (task) => {
      child.send(task);
      const message = await told();
      if ('measured' in message) return message.measured;
      throw new Error('failure' in message ? message.failure : 'The measuring process has lost the thread.');
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
