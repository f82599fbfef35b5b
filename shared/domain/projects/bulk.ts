import type { BulkAction, BulkResult } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { AppError } from '#shared/errors.ts';
import type { ChangedProject } from './change.ts';
import { approveProject, rejectProject, restoreProject } from './moderate.ts';
import { deleteProject, editProject, type UpdatePorts } from './update.ts';

// Enough to finish a hundred well within the gateway's time, few enough not to crowd out other requests.
const AT_ONCE = 8;

const act = (ports: UpdatePorts, admin: UserRecord, id: string, action: BulkAction): Promise<ChangedProject> => {
  switch (action.action) {
    case 'approve':
      return approveProject(ports, admin, id);
    case 'reject':
      return rejectProject(ports, admin, id, action.reason ?? null);
    case 'delete':
      return deleteProject(ports, admin, id);
    case 'restore':
      return restoreProject(ports, admin, id);
    case 'set_categories':
      return editProject(ports, admin, id, { categories: action.categories }, undefined);
  }
};

const resultOf = async (id: string, work: () => Promise<ChangedProject>): Promise<BulkResult> => {
  try {
    const { project } = await work();
    return { id, ok: true, status: project.status };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { id, ok: false, error: error.body.error, code: error.code };
  }
};

/** Changes many projects, each by itself, and says in the order given how each one went. */
export const changeInBulk = async (
  ports: UpdatePorts,
  admin: UserRecord,
  action: BulkAction,
): Promise<{ results: BulkResult[]; succeeded: number; failed: number }> => {
  const results: BulkResult[] = [];
  for (let start = 0; start < action.ids.length; start += AT_ONCE) {
    const some = action.ids.slice(start, start + AT_ONCE);
    results.push(...(await Promise.all(some.map((id) => resultOf(id, () => act(ports, admin, id, action))))));
  }
  const succeeded = results.filter((result) => result.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
};
