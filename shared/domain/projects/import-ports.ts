import type { ReadCatalog } from '#catalog/types.ts';
import type { CreatePorts } from '#domain/categories/manage.ts';
import type { ProjectStore } from './change.ts';
import type { FindSlugHolders } from './import-slugs.ts';
import type { ProjectRecord } from './project.ts';

/** A project before and after; a new one has no before. */
export interface ImportStep {
  readonly previous: ProjectRecord | undefined;
  readonly next: ProjectRecord;
}

/** What importing takes. */
export interface ImportPorts extends CreatePorts {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  readonly findProject: ProjectStore['findProject'];
  readonly slugHolders: FindSlugHolders;
  /** Whether a second project with an address is refused. */
  readonly refusesDuplicateUrls: () => boolean;
  /** Takes away what hangs on projects of these ids that were removed for good, so that nobody inherits it. */
  readonly clearRemains: (projectIds: readonly string[]) => Promise<void>;
  /**
   * Stores projects, each with its slug or not at all, without any event.
   * @returns for each why it was not stored, because somebody else was faster; undefined where it was.
   */
  readonly writeProjects: (steps: readonly ImportStep[]) => Promise<readonly (Error | undefined)[]>;
  /** How long the work may take, in milliseconds; what is left then is reported. */
  readonly budgetMs: number;
}
