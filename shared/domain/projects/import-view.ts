import type { ReadCatalog } from '#catalog/types.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { ImportPorts } from './import-ports.ts';
import type { ProjectRecord } from './project.ts';

const isOlder = (a: ProjectRecord, b: ProjectRecord): boolean =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id);

const READS_AT_ONCE = 16;

/** The directory as an import sees it: as the catalog knows it, with what the import itself has done since. */
export class ImportView {
  readonly #ports: Pick<ImportPorts, 'catalog' | 'findProject'>;
  #catalog: ReadCatalog;
  /** The newest state of what was written, or read from the table, since the catalog was asked for. */
  readonly #newer = new Map<string, ProjectRecord>();
  readonly #newerByUrl = new Map<string, Set<string>>();
  /** Canonical forms take time; where nobody asks for addresses none is worked out. */
  readonly #tracksUrls: boolean;

  constructor(ports: Pick<ImportPorts, 'catalog' | 'findProject'>, catalog: ReadCatalog, tracksUrls: boolean) {
    this.#ports = ports;
    this.#catalog = catalog;
    this.#tracksUrls = tracksUrls;
  }

  /** A project, if it is known without asking. */
  known(id: string): ProjectRecord | undefined {
    return this.#newer.get(id) ?? this.#catalog.find(id)?.project;
  }

  /** A project, from the table where the catalog has not heard of it. */
  async find(id: string): Promise<ProjectRecord | undefined> {
    return this.known(id) ?? (await this.#read(id));
  }

  /** The projects with the same canonical address, oldest first; deleted ones are left out. */
  sameUrl(url: string): ProjectRecord[] {
    const newer = this.#newerByUrl.get(canonicalUrl(url)) ?? [];
    const others = this.#catalog.sameUrl(url).filter((id) => !this.#newer.has(id));
    return [...others, ...newer].flatMap((id) => this.known(id) ?? []).sort((a, b) => (isOlder(a, b) ? -1 : 1));
  }

  /** Notes the newest state of a project. */
  keep(project: ProjectRecord): void {
    this.forget(project.id);
    this.#newer.set(project.id, project);
    if (!this.#tracksUrls || project.deleted_at !== null) return;
    const url = canonicalUrl(project.url);
    const ids = this.#newerByUrl.get(url);
    if (ids) ids.add(project.id);
    else this.#newerByUrl.set(url, new Set([project.id]));
  }

  /** Takes back what was noted of a project. */
  forget(id: string): void {
    const project = this.#newer.get(id);
    if (!project) return;
    this.#newer.delete(id);
    if (this.#tracksUrls) this.#newerByUrl.get(canonicalUrl(project.url))?.delete(id);
  }

  /** Looks anew at the directory, and at some projects in the table itself. */
  async renew(ids: readonly string[]): Promise<void> {
    if (this.#tracksUrls) this.#catalog = await this.#ports.catalog('now');
    for (let start = 0; start < ids.length; start += READS_AT_ONCE) {
      await Promise.all(ids.slice(start, start + READS_AT_ONCE).map((id) => this.#read(id)));
    }
  }

  async #read(id: string): Promise<ProjectRecord | undefined> {
    const stored = await this.#ports.findProject(id);
    if (stored) this.keep(stored.project);
    return stored?.project;
  }
}
