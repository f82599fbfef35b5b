import type { BulkAction, BulkResult } from '#contract/projects.ts';
import type { StoredProject } from '#data/projects.ts';
import type { UserRecord } from '#model/user.ts';
import { AppError } from '#shared/errors.ts';
import { approveProject, rejectProject, restoreProject } from './moderate.ts';
import { editProject, removeProject } from './update.ts';

/** Finishes a hundred projects within the gateway's timeout without starving other requests. */
const CONCURRENCY = 8;

const apply = (admin: UserRecord, id: string, action: BulkAction): Promise<StoredProject> => {
  switch (action.action) {
    case 'approve':
      return approveProject(admin, id, undefined, 'bulk');
    case 'reject':
      return rejectProject(admin, id, action.reason ?? null, undefined, 'bulk');
    case 'delete':
      return removeProject(admin, id, 'bulk');
    case 'restore':
      return restoreProject(admin, id, 'bulk');
    case 'set_categories':
      return editProject(admin, id, { categories: action.categories }, undefined, 'bulk');
  }
};

const resultOf = async (admin: UserRecord, id: string, action: BulkAction): Promise<BulkResult> => {
  try {
    const { project } = await apply(admin, id, action);
    return { id, ok: true, status: project.status };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { id, ok: false, ...error.body };
  }
};

/** Changes projects independently of each other. @returns a result per id, in the given order. */
export const changeInBulk = async (
  admin: UserRecord,
  action: BulkAction,
): Promise<{ results: BulkResult[]; succeeded: number; failed: number }> => {
  const results: BulkResult[] = [];
  for (let start = 0; start < action.ids.length; start += CONCURRENCY) {
    const batch = action.ids.slice(start, start + CONCURRENCY);
    results.push(...(await Promise.all(batch.map((id) => resultOf(admin, id, action)))));
  }
  const succeeded = results.filter((result) => result.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
};
