import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogChange } from '#catalog/types.ts';
import { counts, project } from './fixtures.ts';

/** A project that was removed for good and brought back under its id, in whatever order that is heard of. */

const id = 'prj_a';
const card = (version: number, name: string): CatalogChange => ({
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

describe('a project that comes back', () => {
  it('is there again, without its counters', () => {
    expect(names(card(3, 'old'), voted, removed, card(2000, 'new'))).toEqual(['new', 0]);
  });

  it('stays when its removal is heard of late or again', () => {
    expect(names(card(2000, 'new'), removed)).toEqual(['new', 0]);
    expect(names(removed, card(2000, 'new'), removed, removed)).toEqual(['new', 0]);
  });

  it('is gone when it is removed again, and old news does not bring it back', () => {
    const again: CatalogChange = { ...removed, version: 3000 };
    expect(names(removed, card(2000, 'new'), again)).toBeUndefined();
    expect(names(removed, card(2000, 'new'), again, removed, card(2000, 'new'), card(4, 'old'))).toBeUndefined();
    expect(names(again, removed, card(2000, 'new'))).toBeUndefined();
  });

  it('has its new counters, whenever they are heard of, and never those that it had', () => {
    const anew: CatalogChange = { kind: 'counts', projectId: id, counts: counts({ upvote_count: 1, version: 2001 }) };
    const news = [card(3, 'old'), voted, removed, card(2000, 'new'), anew];
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
      const changes = order.flatMap((position) => news[position] ?? []);
      expect(names(...changes), order.join()).toEqual(['new', 1]);
    }
  });

  it('never comes back after a removal without a version', () => {
    expect(names(card(3, 'old'), { kind: 'projectRemoved', projectId: id }, card(2000, 'new'))).toBeUndefined();
  });
});
