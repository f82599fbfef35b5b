import { writeProjects } from '#data/import-projects.ts';
import { deleteReactionsOfPurged } from '#data/orphaned-data.ts';
import type { PendingProject } from './batch.ts';
import type { ImportState } from './plan.ts';
import type { ReportBuilder } from './report.ts';

/** A project that was not written because of a concurrent write. */
interface ConflictingProject extends PendingProject {
  readonly error: Error;
}

const hasIdFromFile = ({ step, rows }: PendingProject): boolean =>
  !step.previous && rows[0]?.row.values.id !== undefined;

const store = async (
  { actorId, categories, batch }: ImportState,
  pending: readonly PendingProject[],
): Promise<readonly (Error | undefined)[]> => {
  if (pending.length === 0) return [];
  await categories.createMissing(pending.flatMap(({ step }) => step.next.categories));
  // A purged project may have had an id that the file gives; its reactions must not reappear.
  const reused = pending.filter(hasIdFromFile);
  if (reused.length > 0) await deleteReactionsOfPurged(reused.map(({ step }) => step.next.id));
  await batch.prepare(pending);
  const origin = { cause: 'imported', actorId } as const;
  return await writeProjects(
    pending.map((project) => ({ ...project.step, further: batch.writesOf(project) })),
    origin,
  );
};

/**
 * Writes planned projects, unless this is a dry run, and reports their rows.
 * @returns the projects that conflicted with concurrent writes.
 */
export const writeProjectsOf = async (
  state: ImportState,
  pending: readonly PendingProject[],
  report: ReportBuilder,
): Promise<ConflictingProject[]> => {
  const errors = state.mapping.dry_run ? [] : await store(state, pending);
  const conflicts: ConflictingProject[] = [];
  for (const [position, project] of pending.entries()) {
    const error = errors[position];
    if (error) conflicts.push({ ...project, error });
    else state.batch.addWritten(project, report);
  }
  return conflicts;
};

/** Replaces what the import assumed about conflicting projects and their slugs by the stored state. */
export const reloadConflicting = async (
  { projects, slugs }: ImportState,
  conflicts: readonly ConflictingProject[],
): Promise<void> => {
  if (conflicts.length === 0) return;
  for (const { step, rows } of conflicts) {
    projects.forget(step.next.id);
    for (const slug of [step.next.slug, ...rows.map(({ row }) => row.values.slug)]) if (slug) slugs.forget(slug);
  }
  // A generated id cannot be in the table.
  const stored = conflicts.filter((conflict) => conflict.step.previous || hasIdFromFile(conflict));
  await projects.reload(stored.map(({ step }) => step.next.id));
};
