import { ulid } from 'ulid';
import { describe, expect, it, vi } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import { entriesOf, findBatch, revertMark } from '#data/batches.ts';
import { allCategories, findCategory } from '#data/categories.ts';
import { ConflictError } from '#data/conflict.ts';
import { batchKey, slugKey, voteKey } from '#data/keys.ts';
import { deleteProject, findProject, projectInsertion, projectReplacement } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { putItem, transact, updateItem } from '#data/write.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { newId } from '#platform/ids.ts';
import { changeCategory, createCategory, removeCategory } from '#services/categories/manage.ts';
import { importProjects } from '#services/imports/import-rows.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { Random } from '#test/catalog/random.ts';
import { unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sampleOf, seeds } from '#test/support/sample.ts';
import { interceptTable, recordTableCalls, type TableCall } from '#test/support/table-calls.ts';
import { csv } from '#test/support/uploads.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

const admin = { id: 'usr_admin', is_admin: true } as UserRecord;

withBareTable();

/** Runs `action` after the import has planned rows and before it writes them: before its first transaction, or before each. */
const beforeWriting = (action: () => Promise<void>, transactions: 'once' | 'each' = 'once'): void => {
  let isOwn = false;
  let isDue = true;
  interceptTable(async ({ operation }, send) => {
    if (isDue && !isOwn && operation === 'TransactWriteItems') {
      isDue = transactions === 'each';
      isOwn = true;
      await action();
      isOwn = false;
    }
    return await send();
  });
};

const insert = async (fields: Partial<ProjectRecord>): Promise<string> => {
  const id = fields.id ?? newId('prj');
  await transact(projectInsertion(project({ ...fields, id }), origin));
  return id;
};

const stored = async (reference: string): Promise<ProjectRecord> => {
  const found = await findProject(reference);
  if (!found) throw new Error(`${reference} is not stored.`);
  return found.project;
};

const change = async (id: string, fields: (current: ProjectRecord) => Partial<ProjectRecord>): Promise<void> => {
  const previous = await stored(id);
  const next = { ...previous, ...fields(previous), version: previous.version + 1 };
  await transact(await projectReplacement(previous, next, origin));
};

const header = ['slug', 'name', 'url', 'description', 'categories'];
const columns = Object.fromEntries(header.map((name) => [name, name]));
const row = (slug: string, name = slug, categories = '') => [slug, name, 'https://a.example', 'x', categories];

const BUDGET_MS = 60_000;

const run = (rows: readonly (readonly string[])[], options: object = {}, budgetMs = BUDGET_MS): Promise<ImportReport> =>
  importProjects(admin, { file: csv(header, ...rows), mapping: JSON.stringify({ columns, ...options }) }, { budgetMs });

it.each([
  ['skip', { created: 1, skipped: 1 }, 'Theirs'],
  ['update', { created: 1, updated: 1 }, 'Ours'],
] as const)(
  'an import applies on_conflict: %s to a project that was created concurrently',
  async (on_conflict, counts, name) => {
    const [one, two] = [unique('one'), unique('two')];
    beforeWriting(async () => void (await insert({ slug: two, name: 'Theirs' })));
    expect(await run([row(one), row(two, 'Ours')], { on_conflict })).toMatchObject({ failed: 0, ...counts });
    expect(await stored(two)).toMatchObject({ name });
  },
);

it('an import generates another slug when the slug was taken concurrently', async () => {
  const name = unique('same');
  beforeWriting(async () => {
    await putItem({ ...slugKey(name), type: 'slug', project_id: newId('prj') });
  });
  expect(await run([row('', name).with(2, `https://${name}.example`)])).toMatchObject({ created: 1 });
  expect(await stored(`${name}-2`)).toMatchObject({ name });
});

it('an import finds listings by their URLs that were created concurrently with the slugs of its rows', async () => {
  const name = unique('same');
  const rows = [1, 2, 3].map((at) => row('', name).with(2, `https://${name}.example/${at}`));
  // Before the import, so that other slugs than the first one are tried.
  await insert({ slug: name, name, url: `https://${name}.example/0` });
  beforeWriting(async () => {
    for (const at of [3, 2]) {
      await insert({ slug: `${name}-${at + 1}`, name, url: `https://www.${name}.example/${at}/` });
    }
  });
  expect(await run(rows)).toMatchObject({ created: 1, skipped: 2, failed: 0 });
  expect(await stored(`${name}-2`)).toMatchObject({ url: `https://${name}.example/1` });
});

it('an import finds listings by their URLs that another one creates while it looks for free slugs', async () => {
  const name = unique('same');
  const rows = Array.from({ length: 3 }, (_, at) => row('', name).with(2, `https://${name}.example/${at}`));
  await run(rows.map((one) => one.with(2, `${one[2]}/earlier`)));
  let isDue = true;
  interceptTable(async ({ operation, input }, send) => {
    if (isDue && operation === 'BatchGetItem' && JSON.stringify(input).includes(`${name}-4`)) {
      isDue = false;
      await insert({ slug: `${name}-4`, name, url: `https://${name}.example/1` });
    }
    return await send();
  });
  expect(await run(rows)).toMatchObject({ created: 2, skipped: 1, failed: 0 });
});

it('an import updates the newest state of a project that changes concurrently', async () => {
  const slug = unique('one');
  const id = await insert({ slug });
  let left = 3;
  beforeWriting(async () => {
    if (left-- > 0) await change(id, ({ tags }) => ({ tags: [...tags, `${left}`] }));
  }, 'each');
  expect(await run([row(slug, 'New')], { on_conflict: 'update' })).toMatchObject({ updated: 1 });
  expect(await stored(id)).toMatchObject({ name: 'New', tags: ['2', '1', '0'], version: 5 });
});

longTest('an import fails only the row whose project changes in every round', async () => {
  const [one, two] = [unique('one'), unique('two')];
  const id = await insert({ slug: one });
  beforeWriting(() => change(id, () => ({})), 'each');
  const report = await run([row(one, 'New'), row(two)], { on_conflict: 'update' });
  expect(report).toMatchObject({ created: 1, updated: 0, failed: 1, errors: [{ row: 2, column: null }] });
  expect(await stored(two)).toMatchObject({ name: two });
});

it('an import replaces the slugs of categories that were renamed or deleted concurrently', async () => {
  const [kept, renamed, removed, replaced, better] = ['kept', 'renamed', 'removed', 'replaced', 'better'].map((word) =>
    unique(word),
  ) as [string, string, string, string, string];
  for (const slug of [kept, renamed, removed, replaced]) await createCategory({ name: slug, slug });
  beforeWriting(async () => {
    await changeCategory(admin, renamed, { slug: better }, undefined);
    await removeCategory(admin, removed);
    await removeCategory(admin, replaced);
    await createCategory({ name: 'Another', slug: replaced });
  });
  const [a, b] = [unique('a'), unique('b')];
  const report = await run([row(a, a, `${kept}|${renamed}`), row(b, b, `${removed}|${replaced}`)]);
  expect(report).toMatchObject({ created: 2, failed: 0 });
  expect((await stored(a)).categories).toEqual([kept, better]);
  expect((await stored(b)).categories).toEqual([replaced]);
});

it('an import uses a category that was created concurrently', async () => {
  const name = `Beer ${unique('Garden')}`;
  let theirs = '';
  beforeWriting(async () => {
    theirs = (await createCategory({ name })).id;
  });
  const slug = unique('a');
  const report = await run([row(slug, 'a', name)], { create_categories: true });
  expect(report).toMatchObject({ created: 1, failed: 0 });
  const categorySlug = name.toLowerCase().replace(' ', '-');
  expect((await stored(slug)).categories).toEqual([categorySlug]);
  expect(await findCategory(categorySlug)).toMatchObject({ id: theirs });
});

it('an import files nothing under another category that took the slug of a new one concurrently', async () => {
  const word = unique('zed');
  const name = `${word}++`;
  beforeWriting(async () => void (await createCategory({ name: word })));
  const [a, b] = [unique('a'), unique('b')];
  const report = await run([row(a, a, name), row(b, b, word)], { create_categories: true });
  expect(report).toMatchObject({ created: 2, failed: 0 });
  const [of = ''] = (await stored(a)).categories;
  expect(await findCategory(of)).toMatchObject({ name });
  expect((await stored(b)).categories).toEqual([word]);
  expect((await allCategories()).filter((one) => one.name.startsWith(word))).toHaveLength(2);
});

it('an import files nothing under categories of other names that took the slugs of several new ones', async () => {
  const [one, two] = [unique('one'), unique('two')];
  beforeWriting(async () => {
    for (const slug of [one, two]) await createCategory({ name: `Theirs ${slug}`, slug });
  });
  const [a, b] = [unique('a'), unique('b')];
  const rows = [row(a, a, one), row(b, b, two)];
  expect(await run(rows, { create_categories: true })).toMatchObject({ created: 2, failed: 0 });
  const nameOf = async (slug: string) => (await findCategory((await stored(slug)).categories[0] ?? ''))?.name;
  expect([await nameOf(a), await nameOf(b)]).toEqual([one, two]);
});

it('an entry is the category of exactly this name, or the oldest of those that differ in accents', async () => {
  const word = unique('cafe');
  const [exact, plain] = [`Café ${word}`, `Cafe ${word}`];
  const first = await createCategory({ name: exact });
  const second = await createCategory({ name: plain, slug: `${first.slug}-2` });
  const entries = [exact, plain, `CAFE ${word}`, `${first.slug}-2`];
  const slugs = entries.map(() => unique('at'));
  const report = await run(entries.map((entry, n) => row(slugs[n] ?? '', 'x', entry)));
  expect(report).toMatchObject({ created: 4, failed: 0 });
  const categories = await Promise.all(slugs.map(async (slug) => (await stored(slug)).categories));
  expect(categories).toEqual([[first.slug], [second.slug], [first.slug], [second.slug]]);
});

it('an import writes a project once for several rows about it', async () => {
  const slug = unique('one');
  const report = await run([row(slug, 'a'), row(slug, 'b'), row(slug, 'c')], { on_conflict: 'update' });
  expect(report).toMatchObject({ created: 1, updated: 2 });
  expect(await stored(slug)).toMatchObject({ name: 'c', version: 1 });
});

longTest('an import reads the holders of slugs in bulk', async () => {
  const name = unique('same');
  const holder = newId('prj');
  const variants = Array.from({ length: 300 }, (_, n) => (n === 0 ? name : `${name}-${n + 1}`));
  await Promise.all(variants.map((slug) => putItem({ ...slugKey(slug), type: 'slug', project_id: holder })));
  const word = unique('s');
  const rows = [
    ...Array.from({ length: 50 }, () => row('', name)),
    ...Array.from({ length: 50 }, (_, n) => row(`${word}-${n}`)),
  ];
  const calls = recordTableCalls();
  await run(rows, { match_by: 'id' });
  const reads = calls.filter(({ operation }) => /Get|Query/.test(operation));
  expect(reads.length).toBeLessThan(60);
  expect(await stored(`${name}-350`)).toMatchObject({ name });
});

it('an import finds listings by their URLs that are created while it works, also in a later chunk', async () => {
  const word = unique('later');
  const rows = Array.from({ length: 600 }, (_, at) =>
    row('', `${word} ${at}`).with(2, `https://${word}.example/${at}`),
  );
  beforeWriting(async () => {
    await insert({ slug: `${word}-550`, name: 'Theirs', url: `https://${word}.example/550` });
  });
  expect(await run(rows)).toMatchObject({ created: 599, skipped: 1, failed: 0 });
});

it('a dry run knows the URLs of the rows with slugs that it has planned', async () => {
  const word = unique('dry');
  const rows = Array.from({ length: 600 }, (_, at) => {
    const url = `https://${word}.example/${at % 300}`;
    return row(at < 300 ? `${word}-${at}` : '', `${word} ${at}`).with(2, url);
  });
  for (const options of [{ match_by: 'url' }, {}]) {
    const { created, skipped } = await run(rows, { ...options, dry_run: true });
    expect([created, skipped]).toEqual('match_by' in options ? [300, 300] : [600, 0]);
    expect(await run(rows, { ...options, dry_run: true, on_conflict: 'update' })).toMatchObject({ failed: 0, created });
  }
  expect(await run(rows)).toMatchObject({ created: 600 });
  expect(await run(rows, { dry_run: true })).toMatchObject({ created: 0, skipped: 600 });
});

it('an import reads the slugs that are taken once, also when it finds all listings by their URLs', async () => {
  const name = unique('brand');
  const rows = Array.from({ length: 600 }, (_, at) => row('', name).with(2, `https://${name}.example/${at}`));
  expect(await run(rows)).toMatchObject({ created: 600 });
  const calls = recordTableCalls();
  expect(await run(rows)).toMatchObject({ skipped: 600 });
  const slugs = calls.flatMap(({ read }) => read.filter((key) => key.includes(name)));
  const taken = slugs.filter((key) => Number(/-(\d+) /.exec(key)?.[1] ?? 1) <= 600);
  expect(taken).toHaveLength(600);
});

it('an import stops when its time is up and reports the first row that is left', async () => {
  const report = await run([row(unique('one')), row(unique('two'))], {}, 0);
  expect(report).toMatchObject({ rows: 2, created: 0, failed: 2, errors: [{ row: 2, column: null }] });
  expect(report.errors[0]?.message).toContain('and 1 of those after it');
});

it('an import does not repeat conflicting rows when its time is up', async () => {
  const [one, two] = [unique('one'), unique('two')];
  const id = await insert({ slug: one });
  const actual = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => actual() + passedMs);
  beforeWriting(async () => {
    await change(id, () => ({}));
    passedMs += BUDGET_MS / 2;
  }, 'each');
  const report = await run([row(one, 'New'), row(two)], { on_conflict: 'update' });
  clock.mockRestore();
  expect(report).toMatchObject({ created: 1, updated: 0, failed: 1, errors: [{ row: 2, column: null }] });
  expect(report.errors[0]?.message).toContain('The time was up before this row and 0 of those after it');
  expect(passedMs).toBeLessThanOrEqual(BUDGET_MS * 2);
});

longTest('an import lists as many errors as fit into a response and counts the others', async () => {
  const report = await run(Array.from({ length: 30_000 }, () => ['', '', 'none', '', 'x']));
  expect(report.failed).toBe(30_000);
  expect(JSON.stringify(report).length).toBeLessThan(4_000_000);
  expect(report.errors.at(-1)?.message).toContain('counted, not listed');
});

longTest(
  'an import creates at most 200 categories',
  async () => {
    const [word, kind] = [unique('s'), unique('Kind')];
    const rows = Array.from({ length: 250 }, (_, n) => row(`${word}-${n}`, 'n', `${kind} ${n}`));
    const report = await run(rows, { create_categories: true });
    expect(report).toMatchObject({ created: 200, failed: 50 });
    const created = (await allCategories()).filter(({ name }) => name.startsWith(`${kind} `));
    expect(created).toHaveLength(200);
    expect(new Set(created.map(({ sort_order }) => sort_order)).size).toBe(200);
  },
  60_000,
);

it('an import removes the votes of a purged project whose id it reuses', async () => {
  const [a, b] = [newId('prj'), newId('prj')];
  const [one, two, three] = [unique('one'), unique('two'), unique('three')];
  await insert({ id: a, slug: unique('purged') });
  await insert({ id: b, slug: two });
  for (const id of [a, b]) await putItem({ ...voteKey(id, 'usr_voter'), type: 'vote' });
  await deleteProject(await stored(a), []);
  const startedAt = Date.now();
  const file = csv([...header, 'id'], [...row(one), a], [...row(two), b], [...row(three), '']);
  const mapping = JSON.stringify({ columns: { ...columns, id: 'id' }, on_conflict: 'update' });
  expect(await importProjects(admin, { file, mapping }, { budgetMs: BUDGET_MS })).toMatchObject({
    created: 2,
    updated: 1,
  });
  expect(await findItem(voteKey(a, 'usr_voter'))).toBeUndefined();
  expect(await findItem(voteKey(b, 'usr_voter'))).toBeDefined();
  const { slug, version } = await stored(a);
  expect(slug).toBe(one);
  expect(version).toBeGreaterThanOrEqual(startedAt);
  expect(version).toBeLessThanOrEqual(Date.now());
});

describe('an import whose process dies', () => {
  /** Rows that are new, about one project twice, without a slug, or invalid. */
  const rowsOf = (word: string) =>
    Array.from({ length: 230 }, (_, n) => {
      if (n % 23 === 0) return row(`${word}-${n}`, '');
      if (n % 10 === 0) return ['', `${word} ${n}`, `https://${word}-${n}.example.com/`, 'x', ''];
      return row(`${word}-${n % 7 === 0 ? 1 : n}`, `${word} ${n}`);
    });
  const start = (word: string, on_conflict: string, seed?: string) => {
    const mapping = JSON.stringify({ columns, on_conflict });
    return importProjects(admin, { file: csv(header, ...rowsOf(word)), mapping }, { budgetMs: BUDGET_MS, seed });
  };
  type Write = (call: TableCall) => boolean;
  /**
   * Dies at a write.
   * @param isLast whether it is the last write that has an effect.
   * @param endsTime whether the time is up after a write, which it is after the last one.
   */
  const dieAt = async (
    { isLast, endsTime = () => false }: { isLast: Write; endsTime?: Write },
    ...of: [word: string, on_conflict: string, seed: string]
  ): Promise<void> => {
    const read = performance.now.bind(performance);
    let isDead = false;
    let isLate = false;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => read() + (isLate ? 2 * BUDGET_MS : 0));
    const stop = interceptTable(async (call, send) => {
      if (call.written.length === 0) return await send();
      if (isDead) throw new Error('The process is dead.');
      isDead = isLast(call);
      isLate ||= isDead || endsTime(call);
      const answer = await send();
      if (isDead) throw new Error('The process is dead.');
      return answer;
    });
    await expect(start(...of)).rejects.toThrow();
    stop();
    clock.mockRestore();
    expect(isDead).toBe(true);
  };
  /** Dies at one of the first writes. */
  const die = async (random: Random, ...of: [word: string, on_conflict: string, seed: string]): Promise<void> => {
    let left = random.below(8);
    await dieAt({ isLast: () => left-- === 0 }, ...of);
  };
  const outcomesOf = async (batchId: string | null): Promise<string[]> => {
    const outcomes: string[] = [];
    for await (const { row: number, outcome } of entriesOf(String(batchId))) outcomes.push(`${number} ${outcome}`);
    return outcomes;
  };

  const cases = seeds(4).flatMap((seed) => ['skip', 'update'].map((on_conflict) => ({ seed, on_conflict })));

  it.each(sampleOf(cases, 1))(
    'is continued by a retry: on_conflict $on_conflict, random seed $seed',
    async ({ seed, on_conflict }) => {
      const random = new Random(seed);
      const expected = await start(unique('whole'), on_conflict);
      const [word, request] = [unique('parts'), ulid()];
      for (let deaths = 0; deaths < 3; deaths += 1) await die(random, word, on_conflict, request);
      const report = await start(word, on_conflict, request);
      const { batch_id, errors, ...counts } = report;
      const { batch_id: wholeId, errors: wholeErrors, ...wholeCounts } = expected;
      expect([batch_id, counts]).toEqual([`bat_${request}`, wholeCounts]);
      expect(errors.map((error) => error.row)).toEqual(wholeErrors.map((error) => error.row));
      expect(await outcomesOf(batch_id)).toEqual(await outcomesOf(wholeId));
      expect(await findBatch(String(batch_id))).toMatchObject({ state: 'done' });
      // The response was lost too.
      expect(await start(word, on_conflict, request)).toMatchObject({ batch_id, ...counts });
    },
  );

  it('is continued with the rows for which the time of an attempt did not suffice', async () => {
    const [word, request] = [unique('late'), ulid()];
    const isTransaction = ({ operation }: TableCall) => operation === 'TransactWriteItems';
    const isEnd = ({ input }: TableCall) => JSON.stringify(input).includes('batchEnded');
    await dieAt({ endsTime: isTransaction, isLast: isEnd }, word, 'skip', request);
    const { batch_id, errors, ...counts } = await start(word, 'skip', request);
    const { batch_id: wholeId, errors: wholeErrors, ...wholeCounts } = await start(unique('whole'), 'skip');
    expect([counts, errors.length]).toEqual([wholeCounts, wholeErrors.length]);
    expect(await outcomesOf(batch_id)).toEqual(await outcomesOf(wholeId));
  });

  it('is continued when the answer to the write that continues it is lost', async () => {
    const [word, request] = [unique('lost'), ulid()];
    await die(new Random(2), word, 'skip', request);
    let repeated = 0;
    interceptTable(async ({ operation, input }, send) => {
      const isContinuation = operation === 'UpdateItem' && JSON.stringify(input).includes('running_until');
      if (isContinuation) {
        repeated += 1;
        // The client of the table repeats the request by itself.
        await send();
      }
      return await send();
    });
    const { batch_id: _, errors: _errors, ...counts } = await start(word, 'skip', request);
    const { batch_id: _whole, errors: _wholeErrors, ...wholeCounts } = await start(unique('whole'), 'skip');
    expect([repeated, counts]).toEqual([1, wholeCounts]);
  });

  it('is refused while another attempt continues it', async () => {
    const [word, request] = [unique('twice'), ulid()];
    await die(new Random(3), word, 'skip', request);
    let other: Promise<ImportReport> | undefined;
    interceptTable(async ({ operation, input }, send) => {
      const isContinuation = operation === 'UpdateItem' && JSON.stringify(input).includes('running_until');
      if (!isContinuation || other) return await send();
      other = start(word, 'skip', request);
      await other;
      await updateItem(batchKey(`bat_${request}`), { set: { state: 'running' } });
      return await send();
    });
    await expect(start(word, 'skip', request)).rejects.toMatchObject({ code: 'IN_PROGRESS' });
  });

  it('is not continued once its batch is being reverted', async () => {
    const [word, request] = [unique('reverted'), ulid()];
    await die(new Random(1), word, 'skip', request);
    const batch = await findBatch(`bat_${request}`);
    if (!batch) throw new Error('The batch is not stored.');
    await transact([revertMark(batch, newId('bat'))]);
    const before = await outcomesOf(batch.id);
    const report = await start(word, 'skip', request);
    expect(report.created + report.updated + report.skipped + report.failed).toBe(before.length);
    expect(await outcomesOf(batch.id)).toEqual(before);
  });

  it('is not reverted once it is continued', async () => {
    const [word, request] = [unique('continued'), ulid()];
    await die(new Random(1), word, 'skip', request);
    const batch = await findBatch(`bat_${request}`);
    if (!batch) throw new Error('The batch is not stored.');
    await start(word, 'skip', request);
    await expect(transact([revertMark(batch, newId('bat'))])).rejects.toThrow(ConflictError);
  });
});
