import type { TrackedBatch } from './track.ts';

/** A part of what one request brought: its lines from `batch.done` up to `upTo`. */
export interface Portion {
  readonly batch: TrackedBatch;
  readonly upTo: number;
}

/** What a project takes in the transaction: that it is live, its counters, its figures of the day. */
const WRITES_PER_PROJECT = 3;

/**
 * As much of what waits as fits into one transaction, in its order; at least one line. A request that names many projects
 * is applied in parts.
 * @param writesMax how many writes the transaction takes.
 */
export const firstPortions = (batches: readonly TrackedBatch[], writesMax: number): Portion[] => {
  // The figures of the day are one.
  let writes = 1;
  const visitors = new Set<string>();
  const projects = new Set<string>();
  const portions: Portion[] = [];
  for (const batch of batches) {
    writes += 1;
    if (batch.visitor !== null && !visitors.has(batch.visitor)) {
      visitors.add(batch.visitor);
      writes += 1;
    }
    let upTo = batch.done;
    for (const { project } of batch.lines.slice(batch.done)) {
      const more = project === null || projects.has(project) ? 0 : WRITES_PER_PROJECT;
      if (writes + more > writesMax) break;
      if (project !== null) projects.add(project);
      writes += more;
      upTo += 1;
    }
    // A batch without lines cannot be made; were there one, it would be taken along and be gone.
    if (writes > writesMax || (upTo === batch.done && batch.lines.length > 0)) break;
    portions.push({ batch, upTo });
    if (upTo < batch.lines.length) break;
  }
  return portions;
};
