import { existsSync, statSync } from 'node:fs';
import { log } from '#platform/log.ts';
import { type BackgroundTask, runPeriodically } from './background.ts';

/** About 100,000 listings with their revisions, events and indexes (README.md). */
export const TABLE_BYTES_EXPECTED = 2 * 1024 ** 3;

const PAUSE_MS = 600_000;

/** Warns once when the file of the table is larger than expected. @param pauseMs between two looks at the file. */
export const watchTableSize = (file: string, pauseMs = PAUSE_MS): BackgroundTask => {
  let isWarned = false;
  const check = async (): Promise<void> => {
    const bytes = !isWarned && existsSync(file) ? statSync(file).size : 0;
    if (bytes <= TABLE_BYTES_EXPECTED) return;
    isWarned = true;
    log.warn('the table takes much disk space; deleted listings, revisions and events leave it after their time', {
      file,
      megabytes: Math.round(bytes / 1024 ** 2),
    });
  };
  void check();
  return runPeriodically(pauseMs, 'the size of the table could not be read', check);
};
