import type { Message } from '#events/catalogue.ts';
import { notFound, stale } from '#shared/errors.ts';
import type { ProjectCounts, ProjectRecord } from './project.ts';
import { projectTag } from './view.ts';

/** What changing a stored project takes. */
export interface ProjectStore {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord; counts: ProjectCounts } | undefined>;
  /** @throws an error named `ProjectChanged` when the project is not as `previous` any more. */
  readonly replaceProject: (
    previous: ProjectRecord,
    next: ProjectRecord,
    messages: readonly Message[],
  ) => Promise<void>;
}

/** What a verb decided: the next state, and what is told about it. Without a difference nothing is written. */
export interface Decision {
  readonly next: ProjectRecord;
  readonly messages: readonly Message[];
}

/** A project after a change, or as it was when there was nothing to change. */
export interface ChangedProject {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
}

// Each try loses only to a write that went through, so many losses in a row mean as many changes to one project.
const TRIES = 20;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ProjectChanged';

/**
 * Reads a project, lets `decide` say what becomes of it, and writes that. When somebody else was faster, it decides anew
 * on what he left, so the rules hold for the state that is really replaced.
 * @throws 404 when there is no such project, and whatever `decide` throws.
 */
export const changeProject = async (
  store: ProjectStore,
  reference: string,
  decide: (current: ProjectRecord) => Decision | Promise<Decision>,
): Promise<ChangedProject> => {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.findProject(reference);
    if (!stored) throw notFound();
    const { next, messages } = await decide(stored.project);
    if (next === stored.project) return stored;
    const project = { ...next, version: stored.project.version + 1 };
    try {
      await store.replaceProject(stored.project, project, messages);
      return { project, counts: stored.counts };
    } catch (error) {
      if (!isOvertaken(error) || attempt >= TRIES) throw error;
    }
  }
};

/** @throws 412 when the caller's `If-Match` names other versions than the current one. */
export const mustMatch = (ifMatch: readonly string[] | undefined, project: ProjectRecord): void => {
  if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(projectTag(project))) throw stale();
};
