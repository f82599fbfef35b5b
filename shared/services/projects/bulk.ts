import type { BulkAction, BulkResult } from '#contract/projects.ts';
import type { StoredProject } from '#data/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { mustBeAllowed } from '#model/policy.ts';
import { AppError } from '#shared/errors.ts';
import { approveProject, rejectProject, restoreProject } from './moderate.ts';
import { editProject, removeAnyProject } from './update.ts';

/** Finishes a hundred projects within the gateway's timeout without starving other requests. */
const CONCURRENCY = 8;

const apply = (staff: Caller, id: string, action: BulkAction): Promise<StoredProject> => {
  switch (action.action) {
    case 'approve':
      return approveProject(staff, id, undefined, 'bulk');
    case 'reject':
      return rejectProject(staff, id, action.reason ?? null, undefined, 'bulk');
    case 'delete':
      return removeAnyProject(staff, id, 'bulk');
    case 'restore':
      return restoreProject(staff, id, 'bulk');
    case 'set_categories':
      return editProject(staff, id, { categories: action.categories }, undefined, 'bulk');
  }
};

const resultOf = async (staff: Caller, id: string, action: BulkAction): Promise<BulkResult> => {
  try {
    const { project } = await apply(staff, id, action);
    return { id, ok: true, status: project.status };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { id, ok: false, ...error.body };
  }
};

/**
 * Changes projects independently of each other.
 * @returns a result per id, in the given order.
 * @throws 403 for an action that moderators may not perform, or that no scope of an API key covers.
 */
export const changeInBulk = async (
  staff: Caller,
  action: BulkAction,
): Promise<{ results: BulkResult[]; succeeded: number; failed: number }> => {
  mustBeAllowed(action.action === 'approve' || action.action === 'reject' ? 'decide' : 'edit', staff);
  const results: BulkResult[] = [];
  for (let start = 0; start < action.ids.length; start += CONCURRENCY) {
    const batch = action.ids.slice(start, start + CONCURRENCY);
    results.push(...(await Promise.all(batch.map((id) => resultOf(staff, id, action)))));
  }
  const succeeded = results.filter((result) => result.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
};
