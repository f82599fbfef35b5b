import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';

/**
 * No engine outlives its world: a guard ends it when this process is killed, and where that did not happen the next start
 * does, by the record of the last one.
 */

/** Which process the last engine was, and where it listened. */
export interface EngineRecord {
  readonly pid: number;
  readonly port: number;
}

const STOP_MS = 3000;

/** Notes the engine that now runs. */
export const writeRecord = (file: string, record: EngineRecord): void => {
  writeFileSync(file, `${JSON.stringify(record)}\n`);
};

/** The command that a process was started with; undefined when there is no such process. */
const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform === 'win32') {
      const query = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`;
      return execFileSync('powershell', ['-NoProfile', '-Command', query], { encoding: 'utf8' });
    }
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    // All three fail where there is no process of that number.
    return undefined;
  }
};

/** The engine that a run has noted; undefined when there is no note. */
export const readRecord = (file: string): EngineRecord | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<EngineRecord>;
    return Number.isInteger(pid) && Number.isInteger(port) ? { pid: Number(pid), port: Number(port) } : undefined;
  } catch (error) {
    log.warn('the record of the last engine is not readable', { error: error as Error });
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The signal 0 only asks whether the process is there.
    return false;
  }
};

/**
 * Ends the engine that a killed run left behind. The process must have been started on this very database and port: a
 * number that has come to another program since is left alone. Call it only while the data folder is held.
 */
export const endOrphanedEngine = async (dbPath: string, recordPath: string): Promise<void> => {
  const left = readRecord(recordPath);
  if (!left) return;
  const command = commandOf(left.pid);
  if (command?.includes(`--port ${left.port}`) && command.includes(dbPath)) {
    process.kill(left.pid, 'SIGTERM');
    for (let waited = 0; isAlive(left.pid); waited += 20) {
      if (waited > STOP_MS) process.kill(left.pid, 'SIGKILL');
      await wait(20);
    }
  }
  rmSync(recordPath, { force: true });
};

/**
 * Ends a process when this one dies without a chance to: a shell of its own waits on a pipe that breaks with us. Where there
 * is no such shell the next start finds the engine by its record.
 * @returns what ends the guard itself.
 */
export const guardProcess = (pid: number): (() => void) => {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.once('error', (error) => log.warn('the database engine has no guard', { error }));
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => shell.kill('SIGKILL');
};
