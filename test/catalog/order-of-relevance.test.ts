import { expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { Fields } from '#model/field.ts';
import type { ProjectRecord } from '#model/project.ts';
import { counts, field, project, query } from './fixtures.ts';

type Texts = Partial<Pick<ProjectRecord, 'name' | 'description' | 'tags' | 'field_values' | 'long_description'>>;

const fields = new Fields([field({ id: 'fld_1', searchable: true })]);
const inField = (text: string): Texts => ({ field_values: JSON.stringify({ fld_1: text }) });

/** Everything that makes a listing relevant, apart from its name. */
const all: Texts = {
  description: 'amber harbour',
  tags: ['amber harbour'],
  ...inField('amber harbour'),
  long_description: 'amber harbour',
};

/**
 * By criterion, a listing that it puts first, and one that is better by every later criterion as far as possible: the test fails
 * when a criterion is missing, inverted or in another place. The second listing has more upvotes and the greater id.
 */
it.each<[string, Texts, Texts, string?]>([
  [
    'more words',
    { name: 'x', long_description: 'ambr harbor lantrn' },
    { name: 'amber harbour', ...all },
    'amber harbour lantern qzxv',
  ],
  ['a name that equals the search', { name: ' Ámber  HARBOUR ' }, { name: 'amber harbour pier', ...all }],
  [
    'fewer typos',
    { name: 'x', long_description: 'harbour of amber' },
    { name: 'ambr harbour', description: 'ambr harbour', tags: ['ambr harbour'], long_description: 'ambr harbour' },
  ],
  ['more words in the name', { name: 'amber harbourside' }, { name: 'amber', ...all }],
  ['more whole words in the name', { name: 'harbour of amber' }, { name: 'amber harbourside', ...all }],
  [
    'more words in the description',
    { name: 'amber', description: 'harbourside' },
    { ...all, name: 'amber', description: '' },
  ],
  [
    'more whole words in the description',
    { name: 'amber', description: 'harbour' },
    { ...all, name: 'amber', description: 'harbourside' },
  ],
  [
    'more words in the tags',
    { name: 'amber', description: 'harbour', tags: ['harbourside'] },
    { ...all, name: 'amber', description: 'harbour', tags: [] },
  ],
  [
    'more whole words in the tags',
    { name: 'amber', description: 'harbour', tags: ['harbour'] },
    { ...all, name: 'amber', description: 'harbour', tags: ['harbourside'] },
  ],
  [
    'more words in the fields',
    { name: 'x', description: 'harbour amber', ...inField('harbourside') },
    { name: 'x', description: 'amber harbour', long_description: 'amber harbour' },
  ],
  [
    'more whole words in the fields',
    { name: 'x', description: 'harbour amber', ...inField('harbour') },
    { name: 'x', description: 'amber harbour', ...inField('harbourside'), long_description: 'amber harbour' },
  ],
  [
    'more words in the long description',
    { name: 'x', description: 'harbour amber', long_description: 'harbourside' },
    { name: 'x', description: 'amber harbour' },
  ],
  [
    'more whole words in the long description',
    { name: 'x', description: 'harbour amber', long_description: 'harbour' },
    { name: 'x', description: 'amber harbour', long_description: 'harbourside' },
  ],
  ['words side by side', { name: 'x', description: 'amber harbour' }, { name: 'x', description: 'harbour amber' }],
])('the order of relevance puts %s first', (_, first, second, q = 'amber harbour') => {
  const catalog = new Catalog();
  catalog.useFields(fields);
  catalog.apply([
    { kind: 'project', project: project({ id: 'prj_1', url: 'https://x.example', description: '', ...first }) },
    { kind: 'project', project: project({ id: 'prj_2', url: 'https://x.example', description: '', ...second }) },
    { kind: 'counts', projectId: 'prj_2', counts: counts({ upvote_count: 9 }) },
  ]);
  const found = () =>
    catalog
      .query(query({ sort: 'relevance', filters: { q, match: 'fuzzy', longDescriptions: true } }))
      .entries.map((entry) => entry.project.id);
  expect(found()).toEqual(['prj_1', 'prj_2']);
  while (!catalog.indexWords(true));
  expect(found()).toEqual(['prj_1', 'prj_2']);
});

it('the order of relevance puts more upvotes first, then the greater id', () => {
  const catalog = new Catalog();
  for (const id of ['prj_1', 'prj_2', 'prj_3']) {
    catalog.apply([{ kind: 'project', project: project({ id, name: 'amber', url: 'https://x.example' }) }]);
  }
  catalog.apply([{ kind: 'counts', projectId: 'prj_1', counts: counts({ upvote_count: 1 }) }]);
  const { entries } = catalog.query(query({ sort: 'relevance', filters: { q: 'amber', match: 'fuzzy' } }));
  expect(entries.map((entry) => entry.project.id)).toEqual(['prj_1', 'prj_3', 'prj_2']);
});
