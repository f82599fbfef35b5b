import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';

/**
 * The engine must not outlive this process: a guard process terminates it when this process is killed. Where the guard
 * fails, the next start terminates it by its record.
 */

/** The process id and address of the last engine. */
interface EngineRecord {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
}

const STOP_MS = 3000;

export const writeRecord = (file: string, record: EngineRecord): void => {
  writeFileSync(file, `${JSON.stringify(record)}\n`);
};

/** The command line of a process; undefined when it does not exist. */
const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform === 'win32') {
      const query = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`;
      return execFileSync('powershell', ['-NoProfile', '-Command', query], { encoding: 'utf8' });
    }
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    // All three fail for a process that does not exist.
    return undefined;
  }
};

/** The record of the last engine; undefined when there is none. */
export const readRecord = (file: string): EngineRecord | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, host, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<EngineRecord>;
    return host !== undefined && Number.isInteger(pid) && Number.isInteger(port)
      ? { pid: Number(pid), host, port: Number(port) }
      : undefined;
  } catch (error) {
    log.warn('the record of the last engine is unreadable', { error: error as Error });
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Signal 0 fails when the process does not exist.
    return false;
  }
};

/**
 * Terminates the engine that a killed process left running. Its command line must name this database and port, because
 * the process id may have been reused. Call it only while the data folder is locked.
 */
export const endLeftoverEngine = async (dbPath: string, recordPath: string): Promise<void> => {
  const record = readRecord(recordPath);
  if (!record) return;
  const command = commandOf(record.pid);
  if (command?.includes(`--port ${record.port}`) && command.includes(dbPath)) {
    process.kill(record.pid, 'SIGTERM');
    for (let waited = 0; isAlive(record.pid); waited += 20) {
      if (waited > STOP_MS) process.kill(record.pid, 'SIGKILL');
      await wait(20);
    }
  }
  rmSync(recordPath, { force: true });
};

/**
 * Terminates a process when this one is killed: a detached shell waits on a pipe that closes with this process. Windows
 * has no such shell; there the next start finds the engine by its record.
 * @returns a function that stops the guard.
 */
export const guardProcess = (pid: number): (() => void) => {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.once('error', (error) => log.warn('the guard of the database engine could not be started', { error }));
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => shell.kill('SIGKILL');
};
