import type { ReportSettlement, SettledReport } from '#contract/reports.ts';
import { findProject } from '#data/projects.ts';
import type { UserRecord } from '#model/user.ts';
import { editProject, removeProject } from '#services/projects/update.ts';
import { AppError } from '#shared/errors.ts';
import { getReport, resolveReport } from './report.ts';

/** Finishes a hundred reports within the gateway's timeout without starving other requests. */
const CONCURRENCY = 8;

/** Changes a reported project, unless it has been rejected or deleted already or is gone. @throws 400, 404, 409. */
const changeReported = async (
  admin: UserRecord,
  projectId: string,
  { action, note }: ReportSettlement,
): Promise<void> => {
  if (action === 'none') return;
  const project = (await findProject(projectId))?.project;
  if (!project || project.deleted_at !== null) return;
  if (action === 'delete') await removeProject(admin, projectId);
  else if (project.status !== 'rejected') {
    await editProject(admin, projectId, { status: 'rejected', rejection_reason: note ?? null }, undefined);
  }
};

/**
 * Resolves reports and changes the reported projects. The project is changed first: a process that ends in between leaves
 * the report open.
 * @returns a result per id, in the given order.
 */
export const settleReports = async (
  admin: UserRecord,
  settlement: ReportSettlement,
): Promise<{ results: SettledReport[]; succeeded: number; failed: number }> => {
  const changes = new Map<string, Promise<void>>();
  const changeOnce = (projectId: string): Promise<void> => {
    const change = changes.get(projectId) ?? changeReported(admin, projectId, settlement);
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
