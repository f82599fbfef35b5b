import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface Profile {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type Call = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>;

const connect = async (port: number): Promise<{ call: Call; close: () => void }> => {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Readonly<Record<string, unknown>> };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  const call: Call = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { call, close: () => socket.close() };
};

interface ProfileSummary {
  /** Milliseconds by module: a package, a folder of the repository, or a part of Node. Without idle time. */
  readonly modules: ReadonlyMap<string, number>;
  /** Milliseconds by function, without called functions. */
  readonly functions: ReadonlyMap<string, number>;
  /** Milliseconds in total, including those in which the process waited for a core. */
  readonly busy: number;
  /** CPU time of all threads, in milliseconds; hardly affected by other processes. */
  readonly cpu: number;
}

const moduleOf = ({ functionName, url }: Node['callFrame']): string => {
  if (url === '') return functionName.startsWith('(') ? functionName : 'built into V8';
  if (url.startsWith('node:')) return url.replace(/^node:(?:internal\/)?([^/]+).*/, 'node:$1');
  const inPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage) return inPackage;
  return /\/((?:shared|local|functions)\/[^/]+)/.exec(url)?.[1]?.replace(/\.ts$/, '') ?? url;
};

const sum = (into: Map<string, number>, key: string, value: number): void => {
  into.set(key, (into.get(key) ?? 0) + value);
};

const byTime = (times: Map<string, number>): Map<string, number> => new Map([...times].sort((a, b) => b[1] - a[1]));

const summarise = ({ nodes, samples, timeDeltas }: Profile): Omit<ProfileSummary, 'cpu'> => {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const modules = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;
  for (const [position, id] of samples.entries()) {
    const frame = byId.get(id);
    const milliseconds = (timeDeltas[position] ?? 0) / 1000;
    if (!frame || frame.functionName === '(idle)') continue;
    busy += milliseconds;
    const module = moduleOf(frame);
    sum(modules, module, milliseconds);
    const file = frame.url.split('/').slice(-2).join('/');
    sum(functions, `${frame.functionName || '(anonymous)'} ${file && `${file}:${frame.lineNumber + 1}`}`, milliseconds);
  }
  return { modules: byTime(modules), functions: byTime(functions), busy };
};

const SAMPLE_EVERY_MICROSECONDS = 250;

/** Profiles a process with an open inspector port during `work`. */
export const profileWhile = async (debuggerPort: number, work: () => Promise<unknown>): Promise<ProfileSummary> => {
  const { call, close } = await connect(debuggerPort);
  const cpuTime = async (): Promise<number> => {
    const { result } = (await call('Runtime.evaluate', {
      expression: 'process.cpuUsage()',
      returnByValue: true,
    })) as unknown as { result: { value: NodeJS.CpuUsage } };
    return (result.value.user + result.value.system) / 1000;
  };
  try {
    await call('Profiler.enable');
    await call('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROSECONDS });
    await call('Profiler.start');
    const before = await cpuTime();
    await work();
    const cpu = (await cpuTime()) - before;
    const { profile } = (await call('Profiler.stop')) as { profile: Profile };
    return { ...summarise(profile), cpu };
  } finally {
    close();
  }
};
