import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A measurement, sent to a worker process. */
interface Task {
  /** 0: no server, the worker calls the handlers itself. */
  readonly port: number;
  readonly paths: readonly string[];
  /** The position of the first path, modulo their number. */
  readonly startAt: number;
  /** The number of concurrent requests. */
  readonly concurrency: number;
  readonly milliseconds: number;
}

/** The result of a task. */
export interface Measured {
  /** Milliseconds from the start of each request to the end of its response. */
  readonly times: readonly number[];
  readonly perSecond: number;
  /** CPU time of the measuring process, as a share of one core. */
  readonly load: number;
}

/** Sends a request and waits for its response; `position` counts the requests. */
export type Send = (position: number) => Promise<void>;

/** Sends requests continuously for the duration of the task, one at a time per sender. */
export const sendContinuously = async (
  senders: readonly Send[],
  { startAt, milliseconds }: Pick<Task, 'startAt' | 'milliseconds'>,
): Promise<Measured> => {
  const times: number[] = [];
  let position = startAt;
  const cpu = process.cpuUsage();
  const beganAt = performance.now();
  const until = beganAt + milliseconds;
  const ask = async (send: Send): Promise<void> => {
    for (let from = beganAt; from < until; ) {
      const own = position;
      position += 1;
      await send(own);
      const respondedAt = performance.now();
      times.push(respondedAt - from);
      from = respondedAt;
    }
  };
  await Promise.all(senders.map(ask));
  const elapsed = performance.now() - beganAt;
  const { user, system } = process.cpuUsage(cpu);
  return { times, perSecond: (times.length * 1000) / elapsed, load: (user + system) / 1000 / elapsed };
};

/** Executes the tasks of the parent process until it disconnects. */
export const runTasks = (work: (task: Task) => Promise<Measured>): void => {
  process.on('message', (task: Task) => {
    work(task).then(
      (measured) => process.send?.({ measured }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true });
};

/** A process that executes tasks. */
export interface Worker {
  measure(task: Task): Promise<Measured>;
  stop(): Promise<void>;
}

type WorkerMessage = { readonly ready: true } | { readonly measured: Measured } | { readonly failure: string };

/** Starts a process that calls `runTasks`. */
export const startWorker = async (file: string, env: Readonly<Record<string, string>> = {}): Promise<Worker> => {
  const child = fork(file, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const exited = ended.then(([code]) => {
    throw new Error(`${file} ended with ${code}.`);
  });
  exited.catch(() => undefined);
  const nextMessage = async (): Promise<WorkerMessage> => {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [WorkerMessage];
    return message;
  };
  await nextMessage();
  return {
    measure: async (task) => {
      child.send(task);
      const message = await nextMessage();
      if ('measured' in message) return message.measured;
      throw new Error('failure' in message ? message.failure : 'The worker sent an unexpected message.');
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
