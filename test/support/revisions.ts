import { type Project, revisionFields } from '#contract/projects.ts';
import type { Revision } from '#contract/revisions.ts';
import { type Directory, dataOf, type Person } from './fixtures.ts';

/** All revisions of a project as a user sees them, by default the administrator, newest first. */
export const revisionsOf = async (
  directory: Directory,
  projectId: string,
  who: Person = directory.admin,
): Promise<Revision[]> => dataOf(await directory.ok(who, 'GET', `/api/projects/${projectId}/revisions?limit=100`));

/** The fields of a project that result from its published changes, the oldest first. */
const replayed = (revisions: readonly Revision[]): Record<string, unknown> => {
  const fields: Record<string, unknown> = Object.fromEntries(revisionFields.map((field) => [field, null]));
  for (const { changes, applied } of revisions.toReversed()) {
    for (const { field, before, after } of changes) {
      if (!applied.includes(field)) continue;
      const known = fields[field] ?? (Array.isArray(before) ? [] : null);
      if (JSON.stringify(known) !== JSON.stringify(before)) fields[field] = `a change of ${field} has no revision`;
      else fields[field] = after;
    }
  }
  return fields;
};

/** What the revisions of a project and the project itself say about the recorded fields, which must be equal. */
export const recordedAndStored = (revisions: readonly Revision[], project: Project) => {
  const recorded = replayed(revisions);
  const stored = Object.fromEntries(revisionFields.map((field) => [field, project[field] ?? null]));
  const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
  for (const fields of [recorded, stored]) {
    for (const [field, value] of Object.entries(fields)) if (isEmptyList(value)) fields[field] = null;
  }
  return { recorded, stored };
};
