import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { SlugChange } from '#domain/categories/carry-over.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import { importProjects } from '#domain/projects/import.ts';
import type { ImportPorts, ImportStep } from '#domain/projects/import-ports.ts';
import { noCounts, type ProjectRecord } from '#domain/projects/project.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { conflict } from '#shared/errors.ts';
import { category, project } from '#test/catalog/fixtures.ts';
import { csv } from '#test/support/uploads.ts';

const admin = { id: 'usr_admin', is_admin: true } as UserRecord;

/** A directory in memory that refuses what the table would refuse, and in which others can act at any moment. */
class Directory implements ImportPorts {
  readonly projects = new Map<string, ProjectRecord>();
  readonly claims = new Map<string, string>();
  categories: CategoryRecord[] = [];
  readonly cleared: string[] = [];
  readonly carried: [from: string, to: string | null][] = [];
  readonly asked: number[] = [];
  refuses = false;
  budgetMs = 10_000;
  /** What somebody else does just before something is written. */
  meanwhile: () => void = () => undefined;
  #made = 0;

  add(record: ProjectRecord): void {
    this.projects.set(record.id, record);
    this.claims.set(record.slug, record.id);
  }

  now = () => new Date(Date.UTC(2026, 0, 1)).toISOString();
  newId = (kind: string) => {
    this.#made += 1;
    return `${kind}_${String(this.#made).padStart(26, '0')}`;
  };
  catalog = async () => {
    const catalog = new Catalog();
    catalog.apply([...this.projects.values()].map((one) => ({ kind: 'project', project: one })));
    return catalog;
  };
  findProject = async (id: string) => {
    const found = this.projects.get(id);
    return found && { project: found, counts: noCounts };
  };
  slugHolders = async (slugs: readonly string[]) => {
    this.asked.push(slugs.length);
    return new Map(slugs.flatMap((slug) => (this.claims.has(slug) ? [[slug, String(this.claims.get(slug))]] : [])));
  };
  refusesDuplicateUrls = () => this.refuses;
  clearRemains = async (ids: readonly string[]) => void this.cleared.push(...ids);
  writeProjects = async (steps: readonly ImportStep[]) => {
    this.meanwhile();
    return steps.map(({ previous, next }) => {
      const current = this.projects.get(next.id);
      const holder = this.claims.get(next.slug);
      if (current?.version !== previous?.version || (holder !== undefined && holder !== next.id))
        return new Error('lost');
      this.add(next);
      return undefined;
    });
  };
  allCategories = async () => this.categories;
  insertCategory = async (record: CategoryRecord) => void this.categories.push(record);
  findLeavingSlug = async () => undefined;
  releaseSlug = async () => undefined;
  carryOver = async ({ from, to }: SlugChange) => {
    this.carried.push([from, to]);
    return { carrying: 0, changed: 0 };
  };
}

const header = ['slug', 'name', 'url', 'description', 'categories'];
const columns = Object.fromEntries(header.map((name) => [name, name]));
const row = (slug: string, name = slug, kinds = '') => [slug, name, 'https://a.example', 'x', kinds];

const run = (directory: Directory, rows: readonly (readonly string[])[], more: object = {}) =>
  importProjects(directory, admin, { file: csv(header, ...rows), mapping: JSON.stringify({ columns, ...more }) });

describe('an import', () => {
  it('skips or updates what somebody else has made of a row in the meantime', async () => {
    for (const [on_conflict, outcome, name] of [
      ['skip', { created: 1, skipped: 1 }, 'Theirs'],
      ['update', { created: 1, updated: 1 }, 'two'],
    ] as const) {
      const directory = new Directory();
      directory.meanwhile = () => {
        if (!directory.projects.has('prj_other'))
          directory.add(project({ id: 'prj_other', slug: 'two', name: 'Theirs' }));
      };
      expect(await run(directory, [row('one'), row('two')], { on_conflict })).toMatchObject({ failed: 0, ...outcome });
      expect(directory.projects.get('prj_other')?.name).toBe(name);
    }
  });

  it('gives another slug to a row whose slug somebody else has just got', async () => {
    const directory = new Directory();
    directory.meanwhile = () => void directory.claims.set('same', 'prj_other');
    expect(await run(directory, [row('', 'Same')])).toMatchObject({ created: 1 });
    expect([...directory.projects.values()].map(({ slug }) => slug)).toEqual(['same-2']);
  });

  it('updates the newest state of a project that somebody else changes meanwhile', async () => {
    const directory = new Directory();
    directory.add(project({ id: 'prj_a', slug: 'one' }));
    let left = 3;
    directory.meanwhile = () => {
      const current = directory.projects.get('prj_a') as ProjectRecord;
      if (left-- > 0) directory.add({ ...current, tags: [...current.tags, `${left}`], version: current.version + 1 });
    };
    expect(await run(directory, [row('one', 'New')], { on_conflict: 'update' })).toMatchObject({ updated: 1 });
    expect(directory.projects.get('prj_a')).toMatchObject({ name: 'New', tags: ['2', '1', '0'], version: 5 });
  });

  it('gives a row up that is in conflict for ever, and only that', async () => {
    const directory = new Directory();
    directory.add(project({ id: 'prj_a', slug: 'one' }));
    directory.meanwhile = () => {
      const current = directory.projects.get('prj_a') as ProjectRecord;
      directory.add({ ...current, version: current.version + 1 });
    };
    const report = await run(directory, [row('one', 'New'), row('two')], { on_conflict: 'update' });
    expect(report).toMatchObject({ created: 1, updated: 0, failed: 1, errors: [{ row: 2, column: null }] });
  });

  it('writes several rows about one project once', async () => {
    const directory = new Directory();
    const report = await run(directory, [row('one', 'a'), row('one', 'b'), row('one', 'c')], { on_conflict: 'update' });
    expect(report).toMatchObject({ created: 1, updated: 2 });
    expect([...directory.projects.values()]).toMatchObject([{ slug: 'one', name: 'c', version: 1 }]);
  });

  it('asks for slugs many at once', async () => {
    const directory = new Directory();
    for (let n = 1; n <= 300; n += 1) directory.claims.set(n === 1 ? 'same' : `same-${n}`, 'prj_other');
    await run(directory, [
      ...Array.from({ length: 50 }, () => row('', 'Same')),
      ...Array.from({ length: 50 }, (_, n) => row(`s${n}`)),
    ]);
    expect(directory.asked.length).toBeLessThan(8);
    expect([...directory.projects.values()].some(({ slug }) => slug === 'same-350')).toBe(true);
  });

  it('stops when its time is up and says with which row', async () => {
    const directory = new Directory();
    directory.budgetMs = 0;
    const report = await run(directory, [row('one'), row('two')]);
    expect(report).toMatchObject({ rows: 2, created: 0, failed: 2, errors: [{ row: 2, column: null }] });
    expect(report.errors[0]?.message).toContain('and the 1 after it');
  });

  it('lists as many errors as an answer can carry and counts the others', async () => {
    const report = await run(
      new Directory(),
      Array.from({ length: 30_000 }, () => ['', '', 'none', '', 'x']),
    );
    expect(report.failed).toBe(30_000);
    expect(JSON.stringify(report).length).toBeLessThan(4_000_000);
    expect(report.errors.at(-1)?.message).toContain('counted, not listed');
  });

  it('carries over what became of categories meanwhile', async () => {
    const directory = new Directory();
    directory.categories = ['kept', 'renamed', 'removed', 'replaced', 'unused'].map((slug) =>
      category({ id: `cat_${slug}`, slug }),
    );
    directory.meanwhile = () => {
      directory.categories = [
        category({ id: 'cat_kept', slug: 'kept' }),
        category({ id: 'cat_renamed', slug: 'better' }),
        category({ id: 'cat_another', slug: 'replaced' }),
      ];
    };
    await run(directory, [row('a', 'a', 'kept|renamed'), row('b', 'b', 'removed|replaced')]);
    expect(directory.carried).toEqual([
      ['renamed', 'better'],
      ['removed', null],
    ]);
  });

  it('takes a category that somebody else has just created', async () => {
    const directory = new Directory();
    directory.insertCategory = async () => {
      directory.categories = [category({ id: 'cat_theirs', slug: 'beer-garden' })];
      throw conflict('CATEGORY_EXISTS');
    };
    const report = await run(directory, [row('a', 'a', 'Beer Garden')], { create_categories: true });
    expect(report).toMatchObject({ created: 1, failed: 0 });
    expect([...directory.projects.values()].map(({ categories }) => categories)).toEqual([['beer-garden']]);
    expect(directory.carried).toEqual([]);
  });

  it('creates no more categories than can have been meant', async () => {
    const directory = new Directory();
    const rows = Array.from({ length: 250 }, (_, n) => row(`s${n}`, 'n', `Kind ${n}`));
    const report = await run(directory, rows, { create_categories: true });
    expect(report).toMatchObject({ created: 200, failed: 50 });
    expect(directory.categories).toHaveLength(200);
    expect(new Set(directory.categories.map(({ sort_order }) => sort_order)).size).toBe(200);
  });

  it('clears what is left of earlier projects under ids that it takes over', async () => {
    const directory = new Directory();
    const [a, b] = ['prj_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAW'];
    directory.add(project({ id: b, slug: 'two' }));
    const file = csv([...header, 'id'], [...row('one'), a], [...row('two'), b], [...row('three'), '']);
    const mapping = JSON.stringify({ columns: { ...columns, id: 'id' }, on_conflict: 'update' });
    expect(await importProjects(directory, admin, { file, mapping })).toMatchObject({ created: 2, updated: 1 });
    expect(directory.cleared).toEqual([a]);
    expect(directory.projects.get(a)?.version).toBe(Date.parse(directory.now()));
  });

  it('refuses the address of another project where that is the rule, also of one before it in the file', async () => {
    const directory = new Directory();
    directory.refuses = true;
    directory.add(project({ id: 'prj_a', slug: 'known', url: 'https://www.known.example/' }));
    directory.add(project({ id: 'prj_gone', slug: 'gone', url: 'https://gone.example', deleted_at: directory.now() }));
    const file = csv(
      header,
      ['one', 'n', 'http://known.example', 'x', ''],
      ['two', 'n', 'https://new.example', 'x', ''],
      ['three', 'n', 'https://new.example/#top', 'x', ''],
      ['known', 'n', 'https://known.example', 'x', ''],
      ['four', 'n', 'https://gone.example', 'x', ''],
      ['two', 'n', 'https://known.example', 'x', ''],
    );
    const report = await importProjects(directory, admin, {
      file,
      mapping: JSON.stringify({ columns, on_conflict: 'update' }),
    });
    expect(report).toMatchObject({ created: 2, updated: 1, failed: 3 });
    expect(report.errors.map(({ row: number, column }) => [number, column])).toEqual(
      [2, 4, 7].map((number) => [number, 'url']),
    );
  });
});
