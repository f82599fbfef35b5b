import { expect, it, onTestFinished } from 'vitest';
import { writeProjects } from '#data/imports.ts';
import {
  deleteProject,
  isDuplicateUrl,
  otherProjectsWithUrl,
  projectInsertion,
  projectReplacement,
} from '#data/projects.ts';
import { transact } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import { environment } from '#platform/environment.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** Projects by canonical URL, which is indexed with the claim of their slug. */

withBareTable();

let created = 0;
const URL = 'https://www.tea.example/?utm_source=test';

const insert = async (overrides: Partial<ProjectRecord> = {}): Promise<ProjectRecord> => {
  created += 1;
  const record = project({ id: `prj_${created}`, created_at: `2026-01-01T00:00:0${created}.000Z`, ...overrides });
  await transact(projectInsertion(record, origin));
  return record;
};

const change = async (previous: ProjectRecord, fields: Partial<ProjectRecord>): Promise<ProjectRecord> => {
  const next = { ...previous, ...fields, version: previous.version + 1 };
  await transact(await projectReplacement(previous, next, origin));
  return next;
};

it('the index by URL follows projects that are created, imported, changed, deleted, restored and purged', async () => {
  const second = await insert({ url: 'http://tea.example' });
  const first = await insert({ url: URL, created_at: '2025-01-01T00:00:00.000Z' });
  const inserted = await insert({ url: 'https://other.example' });
  let third = inserted;
  const imported = project({
    id: 'prj_imported',
    url: 'https://tea.example/#top',
    created_at: '2027-01-01T00:00:00.000Z',
  });
  await writeProjects([{ previous: undefined, next: imported }], origin);
  const found = () => otherProjectsWithUrl('https://tea.example', undefined, 10);
  expect(await found()).toEqual([first.id, second.id, imported.id]);

  third = await change(third, { url: 'https://TEA.example' });
  expect(await found()).toEqual([first.id, second.id, third.id, imported.id]);
  // The claim of an earlier slug does not count twice, nor after another change of the URL.
  third = await change(third, { slug: 'third-renamed', earlier_slugs: [inserted.slug] });
  expect(await found()).toEqual([first.id, second.id, third.id, imported.id]);
  third = await change(third, { url: 'https://elsewhere.example' });
  expect(await found()).toEqual([first.id, second.id, imported.id]);
  expect(await otherProjectsWithUrl('elsewhere.example', undefined, 10)).toEqual([third.id]);
  third = await change(third, { url: URL, slug: inserted.slug, earlier_slugs: ['third-renamed'] });
  expect(await found()).toEqual([first.id, second.id, third.id, imported.id]);

  const deleted = await change(first, { deleted_at: '2026-02-01T00:00:00.000Z' });
  expect(await found()).toEqual([second.id, third.id, imported.id]);
  const restored = await change(deleted, { deleted_at: null });
  expect(await found()).toEqual([first.id, second.id, third.id, imported.id]);
  await deleteProject(restored, []);
  expect(await found()).toEqual([second.id, third.id, imported.id]);
});

it('rejects the URL of a project from a time when duplicates were allowed, and the claim of one from later', async () => {
  const early = await insert({ url: 'https://unclaimed.example' });
  Object.assign(environment(), { duplicateUrls: 'reject' });
  onTestFinished(() => void Object.assign(environment(), { duplicateUrls: 'allow' }));
  const late = await insert({ url: 'https://claimed.example' });
  for (const [url, id] of [
    ['http://www.unclaimed.example', early.id],
    ['http://www.claimed.example', late.id],
  ] as const) {
    expect(await isDuplicateUrl(url)).toBe(true);
    expect(await isDuplicateUrl(url, 'prj_another')).toBe(true);
    expect(await isDuplicateUrl(url, id)).toBe(false);
  }
  expect(await isDuplicateUrl('https://free.example')).toBe(false);
});
