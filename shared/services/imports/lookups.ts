import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fold } from '#catalog/folded-text.ts';
import type { ReadCatalog } from '#catalog/types.ts';
import { CATEGORIES_MAX, CategoryBody } from '#contract/categories.ts';
import { catalog } from '#data/catalog.ts';
import { allCategories, type MergedCategory, mergedCategories } from '#data/categories.ts';
import { existingProjects, slugHolders } from '#data/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { ProjectRecord } from '#model/project.ts';
import { canonicalUrl } from '#model/url.ts';
import { newId } from '#platform/ids.ts';
import { createCategory, SORT_STEP } from '#services/categories/manage.ts';
import type { SlugChange } from '#services/categories/propagate-slug.ts';
import { isReservedSlug, slugVariant } from '#services/projects/slug.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { AppError } from '#shared/errors.ts';

/** The most categories that one import creates: a column with more values is hardly one of categories. */
const CREATED_MAX = 200;

/** Case, accents and blanks do not tell categories apart; punctuation does: "C", "C++" and "C#" are three. */
const folded = (text: string): string => fold(text).replaceAll(/\s+/gu, ' ').trim();

/** The slug of a category, or why an entry is not a category. */
type Resolution = { readonly slug: string } | { readonly problem: string };

interface LookupOptions {
  readonly mayCreate: boolean;
  /** When the import began, ISO 8601. Of later categories, as of those that it creates, cells cannot know the slugs. */
  readonly begunAt: string;
  /** The ids of categories when earlier runs of the import began, by slug: those that rows of these runs may carry. */
  readonly earlier: Readonly<Record<string, string>>;
}

/** Finds the categories that cells name by slug or name, and plans missing ones where the mapping allows it. */
export class CategoryLookup {
  readonly #mayCreate: boolean;
  readonly #begunAt: string;
  readonly #bySlug = new Map<string, CategoryRecord>();
  readonly #slugByExactName = new Map<string, string>();
  /** Slugs of categories, merged and planned ones too, by their folded names; of several the oldest. */
  readonly #slugByName = new Map<string, string>();
  /** Current slugs by the slug of a merged category; null once the category that replaced it is deleted. */
  readonly #merged: ReadonlyMap<string, string | null>;
  /** Names of missing categories that are not created yet, by slug. */
  readonly #planned = new Map<string, string>();
  #plans = 0;
  /** Slugs that another category took before the planned one was created. */
  readonly #lost = new Set<string>();
  /** Categories of written projects, by the slug that was written. */
  readonly #used = new Map<string, Pick<CategoryRecord, 'id'>>();

  constructor(
    categories: readonly CategoryRecord[],
    merged: readonly MergedCategory[],
    { mayCreate, begunAt, earlier }: LookupOptions,
  ) {
    this.#mayCreate = mayCreate;
    this.#begunAt = begunAt;
    this.#merged = new Map(merged.map(({ slug, current }) => [slug, current]));
    for (const [slug, id] of Object.entries(earlier)) this.#used.set(slug, { id });
    for (const category of categories) this.#add(category);
    // After the others: a category has its name before one that had it.
    for (const { name, current } of merged) if (name !== undefined && current !== null) this.#addName(name, current);
  }

  static async open(options: LookupOptions): Promise<CategoryLookup> {
    return new CategoryLookup(await allCategories(), await mergedCategories(), options);
  }

  /** Resolves an entry that is the slug of a category, or the slug or name of one in other case, accents or blanks. */
  resolve(entry: string): Resolution {
    const text = folded(entry);
    const named = this.#slugByExactName.get(entry) ?? this.#slugByName.get(text);
    const slug = this.#withSlug(entry) ?? named ?? this.#withSlug(text);
    if (slug !== undefined) return { slug };
    return this.#mayCreate ? this.#plan(entry) : { problem: `"${entry}" is not a category` };
  }

  /**
   * Creates the planned categories among these slugs, and notes all of them as used.
   * @returns the slugs of those that are not created, because others were meanwhile. Their entries resolve otherwise from then on.
   */
  async createMissing(slugs: Iterable<string>): Promise<ReadonlySet<string>> {
    const lost = new Set<string>();
    const names = [...new Set(slugs)].map((slug) => [slug, this.#planned.get(slug)] as const);
    for (const [slug, name] of names) {
      if (name !== undefined && !(await this.#create(slug, name))) {
        lost.add(slug);
        continue;
      }
      const category = this.#bySlug.get(slug);
      if (category) this.#used.set(slug, category);
    }
    return lost;
  }

  /**
   * Returns the used categories that were renamed, merged or deleted during the import.
   * @param current all categories at the end. A slug that belongs to another category by then is left out.
   */
  changesUntil(current: readonly CategoryRecord[]): SlugChange[] {
    const slugs = new Set(current.map(({ slug }) => slug));
    return [...this.#used].flatMap(([from, { id }]) => (slugs.has(from) ? [] : [{ from, categoryId: id }]));
  }

  #withSlug(slug: string): string | undefined {
    const category = this.#bySlug.get(slug);
    if (category && category.created_at <= this.#begunAt) return slug;
    return this.#merged.get(slug) ?? undefined;
  }

  #isTaken(slug: string): boolean {
    const others = [this.#bySlug, this.#planned, this.#merged, this.#lost];
    return isReservedSlug(slug) || others.some((one) => one.has(slug));
  }

  #plan(entry: string): Resolution {
    const { data: name } = CategoryBody.shape.name.safeParse(entry);
    if (name === undefined) return { problem: `"${entry}" is not a valid name of a category` };
    if (this.#plans >= CREATED_MAX) return { problem: `an import creates at most ${CREATED_MAX} categories` };
    if (this.#bySlug.size + this.#planned.size >= CATEGORIES_MAX) {
      return { problem: `there are at most ${CATEGORIES_MAX} categories` };
    }
    const base = slugFrom(name, newId('cat').slice('cat_'.length).toLowerCase());
    let number = 1;
    while (this.#isTaken(slugVariant(base, number))) number += 1;
    const slug = slugVariant(base, number);
    this.#plans += 1;
    this.#planned.set(slug, name);
    this.#slugByName.set(folded(name), slug);
    return { slug };
  }

  /** @returns false when another category took the slug or the name meanwhile. */
  async #create(slug: string, name: string): Promise<boolean> {
    if (this.#planned.has(slug)) {
      const last = Math.max(0, ...[...this.#bySlug.values()].map((category) => category.sort_order));
      try {
        this.#add(await createCategory({ name, slug, sort_order: last + SORT_STEP }));
        this.#planned.delete(slug);
        return true;
      } catch (error) {
        // Others created categories meanwhile: this one, or as many as there may be.
        if (!(error instanceof AppError && (error.code === 'CATEGORY_EXISTS' || error.code === 'LIMIT_REACHED')))
          throw error;
        this.#drop(slug);
        this.#lost.add(slug);
        await this.#refresh();
      }
    }
    // It was created concurrently, or another one with its slug or name.
    const category = this.#bySlug.get(slug);
    return category !== undefined && folded(category.name) === folded(name);
  }

  /** Adds what others have created, which takes slugs and names from plans. */
  async #refresh(): Promise<void> {
    const created = (await allCategories()).filter((category) => !this.#bySlug.has(category.slug));
    const names = new Set(created.map((category) => folded(category.name)));
    const taken = new Set(created.map((category) => category.slug));
    for (const [slug, name] of this.#planned) if (taken.has(slug) || names.has(folded(name))) this.#drop(slug);
    for (const category of created) this.#add(category);
  }

  #drop(slug: string): void {
    const name = this.#planned.get(slug);
    if (name !== undefined) this.#slugByName.delete(folded(name));
    this.#planned.delete(slug);
  }

  #add(category: CategoryRecord): void {
    const { slug, name } = category;
    this.#bySlug.set(slug, category);
    if (!this.#slugByExactName.has(name)) this.#slugByExactName.set(name, slug);
    this.#addName(name, slug);
  }

  #addName(name: string, slug: string): void {
    if (!this.#slugByName.has(folded(name))) this.#slugByName.set(folded(name), slug);
  }
}

/** The slug of a name without any character that can be transliterated, with as many characters as a ULID. */
const digestOf = (name: string): string => {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return BigInt(`0x${digest}`).toString(32).padStart(26, '0');
};

/** The slug that a row without one would get in an empty directory. The same for each import of it, so that concurrent ones conflict. */
export const slugOfName = (name: string): string => slugFrom(name, '') || digestOf(name);

/** How many variants of a taken slug are read together, when the first ones are taken. */
const VARIANTS_PER_READ = 100;

/** From which variant on the next one to try is remembered: below, it is found again at once. */
const REMEMBERED_VARIANT_MIN = 10;

/** The holders of slugs: read in bulk, cached, and updated with the slugs that the import assigns. */
export class SlugLookup {
  /** Slugs that rows name themselves; they are not generated for other rows. */
  readonly #inFile: ReadonlySet<string>;
  /** Project ids by slug; null for a free slug. */
  readonly #holders = new Map<string, string | null>();
  /** The next variant to try, by slug without a number. */
  readonly #nextVariant = new Map<string, number>();
  /** Project ids by the slugs that a dry run assigns: they cannot be read again. */
  readonly #planned: Map<string, string> | undefined;

  constructor(inFile: ReadonlySet<string>, { isDryRun }: { readonly isDryRun: boolean }) {
    this.#inFile = inFile;
    this.#planned = isDryRun ? new Map() : undefined;
  }

  /** Whether a row of the file names the slug. */
  isInFile(slug: string): boolean {
    return this.#inFile.has(slug);
  }

  /** Reads the holders of slugs that are not cached. */
  async load(slugs: Iterable<string>): Promise<void> {
    const unknown = [...new Set(slugs)].filter((slug) => !this.#holders.has(slug));
    if (unknown.length === 0) return;
    const holders = await slugHolders(unknown);
    for (const slug of unknown) this.#holders.set(slug, this.#planned?.get(slug) ?? holders.get(slug) ?? null);
  }

  /**
   * Reads as many free variants of each slug as there are rows that need one.
   * @returns the ids of the projects that have the others.
   */
  async loadFree(slugs: readonly string[]): Promise<string[]> {
    const holders: string[] = [];
    const counts = new Map<string, number>();
    for (const slug of slugs) counts.set(slug, (counts.get(slug) ?? 0) + 1);
    let wanted = [...counts].map(([slug, rows]) => ({
      slug,
      rows,
      from: this.#nextVariant.get(slug) ?? 1,
      count: rows,
    }));
    while (wanted.length > 0) {
      const read = wanted.map((one) => ({
        ...one,
        variants: Array.from({ length: one.count }, (_, offset) => slugVariant(one.slug, one.from + offset)),
      }));
      const all = read.flatMap(({ variants }) => variants);
      await this.load(all);
      holders.push(...all.flatMap((slug) => this.#holders.get(slug) ?? []));
      wanted = read.flatMap(({ slug, rows, from, count, variants }) => {
        const left = rows - variants.filter((variant) => this.#isFree(variant)).length;
        return left > 0
          ? [{ slug, rows: left, from: from + count, count: Math.max(left, Math.min(2 * count, VARIANTS_PER_READ)) }]
          : [];
      });
    }
    for (const slug of counts.keys()) this.#remember(slug);
    return holders;
  }

  /** Returns the id of the project that has the slug now or had it earlier. */
  async holderOf(slug: string): Promise<string | undefined> {
    await this.load([slug]);
    return this.#holders.get(slug) ?? undefined;
  }

  /**
   * Returns the first free variant of a slug: itself, then `-2`, `-3` … Of those that `loadFree` has not read the claim of the
   * slug decides.
   */
  freeVariant(slug: string): string {
    return slugVariant(slug, this.#firstFree(slug));
  }

  assign(slug: string, projectId: string): void {
    this.#holders.set(slug, projectId);
    this.#planned?.set(slug, projectId);
  }

  /** Drops a slug from the cache, so that it is read again. */
  forget(slug: string): void {
    this.#holders.delete(slug);
  }

  /** Drops what can be read again, so that memory does not grow with the rows. */
  release(): void {
    this.#holders.clear();
  }

  /** The number of the first free variant, so that the taken ones before it are not read for every chunk. */
  #remember(slug: string): void {
    const number = this.#firstFree(slug);
    if (number >= REMEMBERED_VARIANT_MIN) this.#nextVariant.set(slug, number);
  }

  #firstFree(slug: string): number {
    let number = this.#nextVariant.get(slug) ?? 1;
    while (!this.#isFree(slugVariant(slug, number))) number += 1;
    return number;
  }

  #isFree(slug: string): boolean {
    return typeof this.#holders.get(slug) !== 'string' && !this.#inFile.has(slug) && !isReservedSlug(slug);
  }
}

const isDeleted = ({ deleted_at }: ProjectRecord): boolean => deleted_at !== null;

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
  /** Undefined until URLs are looked up. */
  #catalog: ReadCatalog | undefined;
  /** What the import has read or changed, by id; undefined for a project that does not exist. */
  readonly #known = new Map<string, ProjectRecord | undefined>();
  /** Projects that the import has changed, of which the catalog may have an older state. */
  readonly #changed = new Set<string>();
  readonly #changedByUrl = new Map<string, Set<string>>();
  /** What a dry run has planned since the last release. */
  readonly #planned = new Map<string, ProjectRecord>();
  /** What a dry run planned before that: it cannot be read again. */
  readonly #earlier: CompressedRecords | undefined;

  constructor({ isDryRun }: { readonly isDryRun: boolean }) {
    this.#earlier = isDryRun ? new CompressedRecords() : undefined;
  }

  /**
   * Reads the projects with URLs, for `withUrl`.
   * @param holders ids of projects of which one that is not known makes it read all URLs again.
   */
  async loadUrls(urls: readonly string[], holders: readonly string[]): Promise<void> {
    const isKnown = (id: string): boolean => this.#changed.has(id) || this.#catalog?.find(id) !== undefined;
    if (!this.#catalog || !holders.every(isKnown)) this.#catalog = await catalog('now');
    await this.load(urls.flatMap((url) => [...(this.#changedByUrl.get(canonicalUrl(url)) ?? [])]));
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

  /** Returns the projects with the same canonical URL, deleted ones last, each oldest first. */
  async withUrl(url: string): Promise<ProjectRecord[]> {
    const canonical = canonicalUrl(url);
    const unchanged = (this.#catalog?.sameUrl(url, { withDeleted: true }) ?? []).filter((id) => !this.#changed.has(id));
    const changed = this.#changedByUrl.get(canonical) ?? [];
    const found = await Promise.all([...unchanged, ...changed].map((id) => this.find(id)));
    // A project may have got another URL since it was noted.
    const hasUrl = (project: ProjectRecord | undefined): project is ProjectRecord =>
      project !== undefined && canonicalUrl(project.url) === canonical;
    return found.filter(hasUrl).toSorted((a, b) => Number(isDeleted(a)) - Number(isDeleted(b)) || byAge(a, b));
  }

  /** Sets the planned state of a project. */
  set(project: ProjectRecord): void {
    this.forget(project.id);
    this.#known.set(project.id, project);
    if (this.#earlier) this.#planned.set(project.id, project);
    if (!this.#tracksUrls) return;
    this.#changed.add(project.id);
    const url = canonicalUrl(project.url);
    const ids = this.#changedByUrl.get(url);
    if (ids) ids.add(project.id);
    else this.#changedByUrl.set(url, new Set([project.id]));
  }

  /** Drops the state that was set for a project. */
  forget(id: string): void {
    const project = this.#known.get(id);
    this.#known.delete(id);
    if (!project || !this.#tracksUrls) return;
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

  /** What is written before URLs are looked up is in the catalog then, but for what a dry run has planned. */
  get #tracksUrls(): boolean {
    return this.#catalog !== undefined || this.#earlier !== undefined;
  }

  #inCatalog(id: string): ProjectRecord | undefined {
    return this.#changed.has(id) ? undefined : this.#catalog?.find(id)?.project;
  }
}
