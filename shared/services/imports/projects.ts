import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ReadCatalog } from '#catalog/types.ts';
import { catalog } from '#data/catalog.ts';
import { existingProjects } from '#data/projects.ts';
import { canonicalUrl } from '#model/canonical-url.ts';
import type { ProjectRecord } from '#model/project.ts';

const byAge = (a: ProjectRecord, b: ProjectRecord): number =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1;

/** How many records are compressed together: a row about one of them costs a fraction of a millisecond. */
const PAGE_RECORDS = 128;

/** Records by id in little memory: a dry run may have 200,000. */
class CompressedRecords {
  readonly #pages: Buffer[] = [];
  readonly #pageOf = new Map<string, number>();
  /** The page that was read last: rows about the same projects are often in the same order. */
  #open: { readonly page: number; readonly records: ReadonlyMap<string, ProjectRecord> } | undefined;

  /** Adds records, or replaces those with the same ids. */
  add(records: readonly ProjectRecord[]): void {
    for (let start = 0; start < records.length; start += PAGE_RECORDS) {
      const together = records.slice(start, start + PAGE_RECORDS);
      for (const { id } of together) this.#pageOf.set(id, this.#pages.length);
      this.#pages.push(deflateRawSync(JSON.stringify(together)));
    }
  }

  has(id: string): boolean {
    return this.#pageOf.has(id);
  }

  find(id: string): ProjectRecord | undefined {
    const page = this.#pageOf.get(id);
    const compressed = page === undefined ? undefined : this.#pages[page];
    if (page === undefined || !compressed) return undefined;
    if (this.#open?.page !== page) {
      const records = JSON.parse(inflateRawSync(compressed).toString()) as readonly ProjectRecord[];
      this.#open = { page, records: new Map(records.map((record) => [record.id, record])) };
    }
    return this.#open.records.get(id);
  }
}

/** The projects of the directory as the import sees them: those of the table, replaced by what it has planned since. */
export class ProjectLookup {
  /** Only where URLs are looked up; undefined otherwise. */
  #catalog: ReadCatalog | undefined;
  /** What the import has read or changed, by id; undefined for a project that does not exist. */
  readonly #known = new Map<string, ProjectRecord | undefined>();
  /** Projects that the import has changed, of which the catalog may have an older state. */
  readonly #changed = new Set<string>();
  readonly #changedByUrl = new Map<string, Set<string>>();
  /** The ids of deleted projects at the start of the import, by canonical URL. */
  #deletedByUrl: ReadonlyMap<string, string> | undefined;
  /** What a dry run has planned since the last release. */
  readonly #planned = new Map<string, ProjectRecord>();
  /** What a dry run planned before that: it cannot be read again. */
  readonly #earlier: CompressedRecords | undefined;

  private constructor(current: ReadCatalog | undefined, isDryRun: boolean) {
    this.#catalog = current;
    this.#earlier = isDryRun ? new CompressedRecords() : undefined;
  }

  /** @param tracksUrls whether `withUrl` will be called; if not, the catalog is not loaded. */
  static async open({
    tracksUrls,
    isDryRun,
  }: {
    readonly tracksUrls: boolean;
    readonly isDryRun: boolean;
  }): Promise<ProjectLookup> {
    return new ProjectLookup(tracksUrls ? await catalog('now') : undefined, isDryRun);
  }

  /** Reads projects that are not known yet, together. */
  async load(ids: Iterable<string>): Promise<void> {
    const unknown = [...new Set(ids)].filter(
      (id) => !this.#known.has(id) && !this.#earlier?.has(id) && !this.#inCatalog(id),
    );
    if (unknown.length === 0) return;
    const stored = new Map((await existingProjects(unknown)).map((project) => [project.id, project]));
    for (const id of unknown) this.#known.set(id, stored.get(id));
  }

  async find(id: string): Promise<ProjectRecord | undefined> {
    if (this.#known.has(id)) return this.#known.get(id);
    const found = this.#earlier?.find(id) ?? this.#inCatalog(id);
    if (found) return found;
    await this.load([id]);
    return this.#known.get(id);
  }

  /** Returns the projects with the same canonical URL that are not deleted, oldest first. */
  async withUrl(url: string): Promise<ProjectRecord[]> {
    const canonical = canonicalUrl(url);
    const changed = this.#changedByUrl.get(canonical) ?? [];
    const unchanged = (this.#catalog?.sameUrl(url) ?? []).filter((id) => !this.#changed.has(id));
    const found = await Promise.all([...unchanged, ...changed].map((id) => this.find(id)));
    // A project may have got another URL since it was noted.
    const hasUrl = (project: ProjectRecord | undefined): project is ProjectRecord =>
      project?.deleted_at === null && canonicalUrl(project.url) === canonical;
    return found.filter(hasUrl).toSorted(byAge);
  }

  /** Returns the oldest of the deleted projects with the same canonical URL. */
  async deletedWithUrl(url: string): Promise<ProjectRecord | undefined> {
    this.#deletedByUrl ??= this.#indexDeleted();
    const id = this.#deletedByUrl.get(canonicalUrl(url));
    const project = id === undefined ? undefined : await this.find(id);
    return project && project.deleted_at !== null ? project : undefined;
  }

  /** Sets the planned state of a project. */
  set(project: ProjectRecord): void {
    this.forget(project.id);
    this.#known.set(project.id, project);
    if (this.#earlier) this.#planned.set(project.id, project);
    if (!this.#catalog) return;
    this.#changed.add(project.id);
    if (project.deleted_at !== null) return;
    const url = canonicalUrl(project.url);
    const ids = this.#changedByUrl.get(url);
    if (ids) ids.add(project.id);
    else this.#changedByUrl.set(url, new Set([project.id]));
  }

  /** Drops the state that was set for a project. */
  forget(id: string): void {
    const project = this.#known.get(id);
    this.#known.delete(id);
    if (!project || !this.#catalog) return;
    this.#changed.delete(id);
    this.#changedByUrl.get(canonicalUrl(project.url))?.delete(id);
  }

  /** Updates the catalog where URLs are looked up, and reads these projects from the table. */
  async reload(ids: readonly string[]): Promise<void> {
    if (this.#catalog) this.#catalog = await catalog('now');
    const stored = await existingProjects(ids);
    for (const id of ids) this.forget(id);
    for (const project of stored) this.set(project);
  }

  /** Drops what can be read again, and compresses what a dry run has planned, so that memory hardly grows with the rows. */
  release(): void {
    this.#earlier?.add([...this.#planned.values()]);
    this.#planned.clear();
    this.#known.clear();
  }

  #inCatalog(id: string): ProjectRecord | undefined {
    return this.#changed.has(id) ? undefined : this.#catalog?.find(id)?.project;
  }

  #indexDeleted(): ReadonlyMap<string, string> {
    const ids = new Map<string, string>();
    for (const { project } of this.#catalog?.all() ?? []) {
      const url = project.deleted_at === null ? undefined : canonicalUrl(project.url);
      if (url !== undefined && !ids.has(url)) ids.set(url, project.id);
    }
    return ids;
  }
}
