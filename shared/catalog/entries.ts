import type { ProjectCounts, ProjectRecord } from '#model/project.ts';
import type { CategoryList } from './category-list.ts';
import type { Row } from './row.ts';
import type { Rows } from './rows.ts';
import type { CatalogEntry } from './types.ts';

/** A listing as readers of the catalog see it. Its record is unpacked when it is read. */
class Entry implements CatalogEntry {
  readonly row: Row;
  readonly spheres: readonly string[];

  constructor(row: Row, spheres: readonly string[]) {
    this.row = row;
    this.spheres = spheres;
  }

  get project(): ProjectRecord {
    return this.row.project;
  }

  get counts(): ProjectCounts {
    return this.row.counts;
  }
}

/** The entries of the listings, each the same object until its row or the categories change. */
export class Entries {
  readonly #rows: Rows;
  readonly #categories: CategoryList;
  /** By slot, created when they are read first. */
  readonly #entries: (Entry | undefined)[] = [];

  constructor(rows: Rows, categories: CategoryList) {
    this.#rows = rows;
    this.#categories = categories;
  }

  /** The entry in a slot that is in use. */
  at(slot: number): CatalogEntry {
    const row = this.#rows.at(slot);
    const known = this.#entries[slot];
    if (known?.row === row) return known;
    const entry = new Entry(row, this.#categories.spheresOf(row.categories));
    this.#entries[slot] = entry;
    return entry;
  }

  /** To be called after each change of the categories, from which spheres are derived. */
  categoriesChanged(): void {
    this.#entries.length = 0;
  }
}
