import { readdirSync, readFileSync } from 'node:fs';

/** Undefined when the process has ended. */
const fileOf = (pid: number, name: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
};

/** A process and all that it started, directly or not. */
const treeOf = (ancestor: number): number[] => {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(pids.map(Number), (pid) => Number(/\) \S (\d+)/.exec(fileOf(pid, 'stat') ?? '')?.[1]));
  const within = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(within)];
  return within(ancestor);
};

/** The proportional set size (PSS) of a process and of all that it started, in MB. Linux only. */
export const memoryOf = (ancestor: number) =>
  treeOf(ancestor).map((pid) => {
    const kilobytes = Number(/^Pss: +(\d+)/m.exec(fileOf(pid, 'smaps_rollup') ?? '')?.[1] ?? 0);
    return { name: fileOf(pid, 'comm')?.trim(), megabytes: kilobytes / 1024 };
  });
