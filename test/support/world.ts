import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tiers } from '#contract/route.ts';
import { importDoor } from '#local/doors.ts';
import { endOrphanedEngine } from '#local/orphans.ts';
import { startWorld, type World, type WorldOptions } from '#local/world.ts';
import { watched } from './aws-calls.ts';
import { type Client, clientOf } from './client.ts';
import { holdToDocument } from './conformance.ts';

/** A world of its own for one test file. */
export interface TestWorld extends Client {
  readonly world: World;
  stop(): Promise<void>;
}

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
      importDoor: watched(options.importDoor ?? importDoor),
      port: 0,
      dataDir,
      env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'CRITICAL', ...NO_LIMITS, ...options.env },
    });
    const hold = options.routes ? () => undefined : holdToDocument;
    const client = clientOf(`http://127.0.0.1:${world.port}`, { hold });
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
