import type { ReadCatalog } from '#catalog/types.ts';
import { catalog } from '#data/catalog.ts';
import { findProject } from '#data/projects.ts';
import { canonicalUrl } from '#model/canonical-url.ts';
import type { ProjectRecord } from '#model/project.ts';

const CONCURRENT_READS = 16;

const byAge = (a: ProjectRecord, b: ProjectRecord): number =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1;

/** The projects of the directory: those of the catalog, replaced by what the import has changed or read since. */
export class ProjectLookup {
  #catalog: ReadCatalog;
  /** Newer states than those of the catalog, by id. */
  readonly #newer = new Map<string, ProjectRecord>();
  readonly #newerByUrl = new Map<string, Set<string>>();
  /** The ids of deleted projects at the start of the import, by canonical URL. */
  #deletedByUrl: ReadonlyMap<string, string> | undefined;
  /** Off where no URL is looked up, because canonical URLs are slow to compute. */
  readonly #tracksUrls: boolean;

  private constructor(current: ReadCatalog, tracksUrls: boolean) {
    this.#catalog = current;
    this.#tracksUrls = tracksUrls;
  }

  /** @param tracksUrls whether `withUrl` will be called. */
  static async open({ tracksUrls }: { readonly tracksUrls: boolean }): Promise<ProjectLookup> {
    return new ProjectLookup(await catalog('now'), tracksUrls);
  }

  /** Returns a project from memory. */
  cached(id: string): ProjectRecord | undefined {
    return this.#newer.get(id) ?? this.#catalog.find(id)?.project;
  }

  /** Returns a project from memory or else from the table. */
  async find(id: string): Promise<ProjectRecord | undefined> {
    return this.cached(id) ?? (await this.#read(id));
  }

  /** Returns the projects with the same canonical URL that are not deleted, oldest first. */
  withUrl(url: string): ProjectRecord[] {
    const newer = this.#newerByUrl.get(canonicalUrl(url)) ?? [];
    const unchanged = this.#catalog.sameUrl(url).filter((id) => !this.#newer.has(id));
    return [...unchanged, ...newer].flatMap((id) => this.cached(id) ?? []).toSorted(byAge);
  }

  /** Returns the oldest of the deleted projects with the same canonical URL. */
  deletedWithUrl(url: string): ProjectRecord | undefined {
    this.#deletedByUrl ??= this.#indexDeleted();
    const project = this.cached(this.#deletedByUrl.get(canonicalUrl(url)) ?? '');
    return project && project.deleted_at !== null ? project : undefined;
  }

  /** Sets the newest state of a project. */
  set(project: ProjectRecord): void {
    this.forget(project.id);
    this.#newer.set(project.id, project);
    if (!this.#tracksUrls || project.deleted_at !== null) return;
    const url = canonicalUrl(project.url);
    const ids = this.#newerByUrl.get(url);
    if (ids) ids.add(project.id);
    else this.#newerByUrl.set(url, new Set([project.id]));
  }

  /** Drops the state that was set for a project. */
  forget(id: string): void {
    const project = this.#newer.get(id);
    if (!project) return;
    this.#newer.delete(id);
    if (this.#tracksUrls) this.#newerByUrl.get(canonicalUrl(project.url))?.delete(id);
  }

  /** Updates the catalog where URLs are tracked, and reads these projects from the table. */
  async reload(ids: readonly string[]): Promise<void> {
    if (this.#tracksUrls) this.#catalog = await catalog('now');
    for (let start = 0; start < ids.length; start += CONCURRENT_READS) {
      await Promise.all(ids.slice(start, start + CONCURRENT_READS).map((id) => this.#read(id)));
    }
  }

  #indexDeleted(): ReadonlyMap<string, string> {
    const ids = new Map<string, string>();
    for (const { project } of this.#catalog.all()) {
      const url = project.deleted_at === null ? undefined : canonicalUrl(project.url);
      if (url !== undefined && !ids.has(url)) ids.set(url, project.id);
    }
    return ids;
  }

  async #read(id: string): Promise<ProjectRecord | undefined> {
    const stored = await findProject(id);
    if (stored) this.set(stored.project);
    return stored?.project;
  }
}
