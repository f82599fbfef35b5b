import type { ReportSettlement, SettledReport } from '#contract/reports.ts';
import { findProject } from '#data/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { mustBeAllowed } from '#model/policy.ts';
import { rejectReported, removeAnyProject } from '#services/projects/update.ts';
import { AppError } from '#shared/errors.ts';
import { getReport, resolveReport } from './report.ts';

/** Finishes a hundred reports within the gateway's timeout without starving other requests. */
const CONCURRENCY = 8;

/** Changes a reported project, unless it has been rejected or deleted already or is gone. @throws 400, 403, 404, 409. */
const changeReported = async (staff: Caller, projectId: string, { action, note }: ReportSettlement): Promise<void> => {
  if (action === 'none') return;
  const project = (await findProject(projectId))?.project;
  if (!project || project.deleted_at !== null) return;
  if (action === 'delete') await removeAnyProject(staff, projectId);
  else if (project.status !== 'rejected') await rejectReported(staff, projectId, note ?? null);
};

/**
 * Resolves reports and changes the reported projects. The project is changed first: a process that ends in between leaves
 * the report open.
 * @returns a result per id, in the given order.
 * @throws 403 when a moderator deletes, or an API key without the scope of it.
 */
export const settleReports = async (
  staff: Caller,
  settlement: ReportSettlement,
): Promise<{ results: SettledReport[]; succeeded: number; failed: number }> => {
  if (settlement.action === 'delete') mustBeAllowed('edit', staff);
  const changes = new Map<string, Promise<void>>();
  const changeOnce = (projectId: string): Promise<void> => {
    const change = changes.get(projectId) ?? changeReported(staff, projectId, settlement);
    changes.set(projectId, change);
    return change;
  };
  const settleOne = async (id: string): Promise<SettledReport> => {
    try {
      const { project_id } = await getReport(id);
      await changeOnce(project_id);
      await resolveReport(id, settlement.status, settlement.note);
      return { id, ok: true };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { id, ok: false, ...error.body };
    }
  };
  const results: SettledReport[] = [];
  for (let start = 0; start < settlement.ids.length; start += CONCURRENCY) {
    results.push(...(await Promise.all(settlement.ids.slice(start, start + CONCURRENCY).map(settleOne))));
  }
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
};
