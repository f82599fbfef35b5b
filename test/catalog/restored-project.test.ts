import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogChange } from '#catalog/types.ts';
import { counts, project } from './fixtures.ts';

const id = 'prj_a';
const projectState = (version: number, name: string): CatalogChange => ({
  kind: 'project',
  project: project({ id, name, version }),
});
const voted: CatalogChange = { kind: 'counts', projectId: id, counts: counts({ upvote_count: 7, version: 9 }) };
const removed: CatalogChange = { kind: 'projectRemoved', projectId: id, version: 1000 };

const names = (...changes: readonly CatalogChange[]): [string, number] | undefined => {
  const catalog = new Catalog();
  for (const change of changes) catalog.apply([change]);
  const entry = catalog.find(id);
  return entry && [entry.project.name, entry.counts.upvote_count];
};

describe('a restored project', () => {
  it('is visible again, without its old counters', () => {
    expect(names(projectState(3, 'old'), voted, removed, projectState(2000, 'new'))).toEqual(['new', 0]);
  });

  it('stays when its removal arrives late or repeatedly', () => {
    expect(names(projectState(2000, 'new'), removed)).toEqual(['new', 0]);
    expect(names(removed, projectState(2000, 'new'), removed, removed)).toEqual(['new', 0]);
  });

  it('disappears when it is removed again, whatever old changes arrive', () => {
    const again: CatalogChange = { ...removed, version: 3000 };
    expect(names(removed, projectState(2000, 'new'), again)).toBeUndefined();
    expect(
      names(removed, projectState(2000, 'new'), again, removed, projectState(2000, 'new'), projectState(4, 'old')),
    ).toBeUndefined();
    expect(names(again, removed, projectState(2000, 'new'))).toBeUndefined();
  });

  it('has its new counters and never its old ones, in whatever order changes arrive', () => {
    const newCounts: CatalogChange = {
      kind: 'counts',
      projectId: id,
      counts: counts({ upvote_count: 1, version: 2001 }),
    };
    const all = [projectState(3, 'old'), voted, removed, projectState(2000, 'new'), newCounts];
    for (const order of [
      [0, 1, 2, 3, 4],
      [0, 1, 2, 4, 3],
      [0, 1, 4, 2, 3],
      [4, 2, 3],
      [2, 4, 3],
      [3, 4, 2],
      [0, 1, 3, 4, 2],
      [0, 1, 4, 3, 2],
      [0, 1, 2, 4, 1, 3, 1, 0],
      [2, 3, 4, 1, 2],
    ]) {
      const changes = order.flatMap((position) => all[position] ?? []);
      expect(names(...changes), order.join()).toEqual(['new', 1]);
    }
  });

  it('cannot follow a removal without a version', () => {
    expect(
      names(projectState(3, 'old'), { kind: 'projectRemoved', projectId: id }, projectState(2000, 'new')),
    ).toBeUndefined();
  });
});
