import { DUPLICATES_MAX, type ProjectDossier, REPORTS_COUNTED_MAX } from '#contract/projects.ts';
import { catalogToCompare } from '#data/catalog.ts';
import { findLinks } from '#data/links.ts';
import { findProject, type StoredProject } from '#data/projects.ts';
import { countOpenReports } from '#data/reports.ts';
import { findUser } from '#data/users.ts';
import type { LinkRecord } from '#model/link.ts';
import { appliedRule } from '#model/project.ts';
import { submissionsLastDay } from '#services/rules/conditions.ts';
import { notFound } from '#shared/errors.ts';
import { signalsOf } from './signals.ts';
import { staffProjectView } from './view.ts';

const linkView = ({ state, checked_at, status, final_url }: LinkRecord): ProjectDossier['link'] => ({
  state,
  checked_at,
  status,
  final_url,
});

/** A project of any status, deleted ones included. @throws 404. */
export const getJudgedProject = async (reference: string): Promise<StoredProject> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  return stored;
};

/** What is known about a project. Its cost does not depend on the size of the directory. */
export const projectDossier = async (found: StoredProject): Promise<ProjectDossier> => {
  const { project } = found;
  const { id, name, url, description, owner_id: ownerId, created_at: at } = project;
  const [view, directory, user, [stored], reportsOpen] = await Promise.all([
    staffProjectView(found),
    catalogToCompare(),
    findUser(ownerId),
    findLinks([id]),
    countOpenReports(id, REPORTS_COUNTED_MAX),
  ]);
  const submitter = user?.erased_at === null ? user : undefined;
  // The record of another URL says nothing about this one.
  const link = stored?.url === url ? stored : undefined;
  const counts = directory.ownerCounts(ownerId);
  const lastDay = submissionsLastDay(directory, { id, at, submitter: { id: ownerId } });
  return {
    project: view,
    duplicates: directory.similar({ id, name, url, description }, DUPLICATES_MAX).map(({ entry, score, reasons }) => ({
      project: {
        id: entry.project.id,
        slug: entry.project.slug,
        name: entry.project.name,
        status: entry.project.status,
        url: entry.project.url,
      },
      score,
      reasons: [...reasons],
    })),
    submitter: {
      id: ownerId,
      name: submitter?.name ?? null,
      joined_at: submitter?.joined_at ?? null,
      email_verified: submitter?.email_verified ?? false,
      is_banned: user?.is_banned ?? false,
      counts,
      submissions_last_day: lastDay,
    },
    link: link ? linkView(link) : null,
    signals: await signalsOf({ project, submitter, counts, submissionsLastDay: lastDay, link }),
    rule: appliedRule(project),
    reports_open: reportsOpen,
  };
};
