import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IMPORT_FILE_BYTES_MAX, importFields, type Project } from '#contract/projects.ts';
import { type Directory, dataOf, invalidAt, type Meta, type Person, person, unique } from '#test/support/fixtures.ts';
import { csv, IMPORT_PATH, imported, readCsv, sendForm, sendImport } from '#test/support/uploads.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

let world: TestWorld;
let directory: Directory;
let admin: Person;

withDirectory((opened) => {
  ({ world, directory } = opened);
  admin = directory.admin;
});

const EXPORT_PATH = '/api/admin/projects/export';
const identity = Object.fromEntries(importFields.map((field) => [field, field]));
const plain = { name: 'name', url: 'url', description: 'description' };

const run = (file: string, mapping: unknown) => imported(world, admin.token, file, mapping);

/** Every project there is, as administrators see them, by id. */
const everything = async (): Promise<Map<string, Project>> => {
  const all = new Map<string, Project>();
  for (let page = 1, more = true; more; page += 1) {
    const { body } = await directory.get(`/api/admin/projects?status=all&sort=oldest&limit=100&page=${page}`, admin);
    const { data, meta } = body as { data: Project[]; meta: Meta };
    for (const project of data) all.set(project.id, project);
    more = meta.hasMore;
  }
  return all;
};

const exported = async (): Promise<string> => {
  const answer = await directory.get(EXPORT_PATH, admin);
  expect(answer.status).toBe(200);
  return answer.body as string;
};

const bySlug = async (slug: string): Promise<Project> => await directory.read(slug, admin);
const isThere = async (slug: string): Promise<boolean> =>
  (await directory.get(`/api/projects/${slug}`, admin)).status === 200;

describe('an export', () => {
  it('is a dated attachment with a column for every field, one line per project of any status', async () => {
    const owner = await person(world);
    const ids = new Map<string, string>();
    for (const state of ['live', 'pending', 'rejected', 'deleted'] as const) {
      ids.set(state, (await directory.project(state, owner)).id);
    }
    const answer = await directory.get(EXPORT_PATH, admin);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="projects-\d{4}-\d\d-\d\d\.csv"$/);
    const [header, ...records] = readCsv(answer.body as string);
    expect(header).toEqual(importFields);
    expect(records.every((record) => record.length === importFields.length)).toBe(true);
    const seen = new Map(records.map((record) => [record[0], record]));
    for (const [state, id] of ids) {
      const record = seen.get(id);
      expect(record?.[importFields.indexOf('status')]).toBe(state === 'deleted' ? 'live' : state);
      expect(record?.[importFields.indexOf('deleted_at')] !== '').toBe(state === 'deleted');
    }
  });

  it('writes what a change has just made', async () => {
    const owner = await person(world);
    const { slug } = await directory.live(owner, { tags: ['a|b', 'c\\d'], latitude: -12.5, longitude: 7 });
    await directory.as(owner, 'POST', `/api/projects/${slug}/upvote`);
    const [, ...records] = readCsv(await exported());
    const record = records.find((one) => one[1] === slug);
    expect(record?.[importFields.indexOf('upvote_count')]).toBe('1');
    expect(record?.[importFields.indexOf('tags')]).toBe('a\\|b|c\\\\d');
    expect(record?.[importFields.indexOf('latitude')]).toBe('-12.5');
  });

  it('lets no text begin like a formula', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', "'=1+1", "'s Hertogenbosch"];
    const file = csv(['name', 'url', 'description'], ...names.map((name) => [name, 'https://x.example', `=${name}`]));
    expect(await run(file, plain)).toMatchObject({ created: names.length });
    const [, ...records] = readCsv(await exported());
    const cells = records.flatMap((record) => [
      record[importFields.indexOf('name')],
      record[importFields.indexOf('description')],
    ]);
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell ?? ''))).toEqual([]);
    const stored = [...(await everything()).values()].map(({ name }) => name);
    expect(stored).toEqual(expect.arrayContaining(['=1+1', '+1', '-1', '@SUM(A1)', '=1+1', "'s Hertogenbosch"]));
  });
});

describe('an export that is imported again', () => {
  const odd = [
    ['=HYPERLINK("x")', "'quoted", '"q"', 'a,b;c\td'],
    ['東京 😀', 'Straße', "'s", '\\'],
    ['-12', '+49', '@me', "''x"],
  ] as const;

  it('brings the same projects back', async () => {
    const header = [
      'id',
      'slug',
      'name',
      'url',
      'description',
      'long_description',
      'categories',
      'tags',
      'screenshots',
      'status',
      'plan',
      'pricing_type',
      'latitude',
      'longitude',
      'owner_id',
      'created_at',
      'published_at',
      'deleted_at',
      'rejection_reason',
      'paid_at',
    ];
    const rows = odd.flatMap((texts, row) =>
      texts.map((text, column) => [
        `prj_01ARZ3NDEKTSV4RRFFQ6900${row}0${column}`,
        `odd-${row}-${column}`,
        text,
        `https://odd.example/${row}?a=${column}`,
        `${text}\nsecond line, "quoted"`,
        column === 1 ? `=long\r\n${text}` : '',
        column === 2 ? '' : `${directory.category}|Odd Things`,
        ['a\\|b', "=c|'d", '\\\\x', ''][column],
        'https://img.example/1.png|https://img.example/2.png',
        ['live', 'pending', 'rejected', 'live'][column],
        ['standard', 'premium'][column % 2],
        ['free', 'freemium', 'paid'][row],
        row === 1 ? '' : -12.5 - column,
        row === 1 ? '' : 0.000_000_1,
        column === 3 ? '' : `somebody-${row}`,
        '2025-01-02T03:04:05.678Z',
        column === 1 ? '' : '2025-02-03T04:05:06.789Z',
        column === 3 ? '2025-03-04T05:06:07.890Z' : '',
        column === 2 ? '-no' : '',
        column === 1 ? '2025-01-03T00:00:00.000Z' : '',
      ]),
    );
    const mapping = { columns: Object.fromEntries(header.map((name) => [name, name])), create_categories: true };
    expect(await run(csv(header, ...rows), mapping)).toMatchObject({ created: rows.length, failed: 0, errors: [] });

    const voter = await person(world);
    await directory.as(voter, 'POST', '/api/projects/odd-0-0/upvote');
    const before = await everything();
    const file = await exported();
    for (const id of before.keys()) await directory.done('DELETE', `/api/admin/projects/${id}`);
    expect((await everything()).size).toBe(0);

    const report = await run(file, { columns: identity });
    expect(report).toMatchObject({ rows: before.size, created: before.size, failed: 0, errors: [] });
    const after = await everything();
    const counters = { upvote_count: 0, average_rating: 0, ratings_count: 0, comments_count: 0, views_count: 0 };
    expect([...after.values()]).toEqual([...before.values()].map((project) => ({ ...project, ...counters })));

    // What was to be removed with the old ones has been removed, and nothing of the new ones.
    await wait(500);
    for (const { id, slug } of after.values()) expect((await bySlug(slug)).id).toBe(id);
    const again = await directory.as(voter, 'POST', '/api/projects/odd-0-0/upvote');
    expect(again.body).toMatchObject({ data: { upvoted: true, upvote_count: 1 } });
    await directory.as(voter, 'POST', '/api/projects/odd-0-0/upvote');
    expect(await exported()).toBe(file.replaceAll(',1,0,0,0,0,', ',0,0,0,0,0,'));
  });

  it('changes nothing in a directory that has them', async () => {
    const before = await everything();
    const file = await exported();
    for (const match_by of ['slug', 'id'] as const) {
      const skipping = await run(file, { columns: identity, match_by });
      expect(skipping).toMatchObject({ created: 0, updated: 0, skipped: before.size, failed: 0 });
      const updating = await run(file, { columns: identity, match_by, on_conflict: 'update' });
      expect(updating).toMatchObject({ created: 0, updated: before.size, skipped: 0, failed: 0 });
    }
    expect(await everything()).toEqual(before);
  });
});

describe('an import', () => {
  it('makes live projects of the importing administrator and tells nobody', async () => {
    const events = (await world.events()).length;
    const mails = (await world.mails()).length;
    const name = unique('Quiet');
    const report = await run(csv(['name', 'url', 'description'], [name, 'quiet.example', 'Sh.']), plain);
    expect(report).toMatchObject({
      dry_run: false,
      rows: 1,
      created: 1,
      updated: 0,
      skipped: 0,
      failed: 0,
      errors: [],
    });
    expect(report.batch_id).toMatch(/^bat_[0-9A-HJKMNP-TV-Z]{26}$/);
    const project = await bySlug(name.toLowerCase());
    expect(project).toMatchObject({
      name,
      url: 'https://quiet.example',
      status: 'live',
      plan: 'standard',
      pricing_type: 'free',
      categories: [],
      owner_id: admin.id,
    });
    expect(project.published_at).toBe(project.created_at);
    const listed = await directory.get(`/api/projects?q=${name}`);
    expect(dataOf<Project[]>(listed)).toHaveLength(1);
    await wait(300);
    expect((await world.events()).length).toBe(events);
    expect((await world.mails()).length).toBe(mails);
  });

  it('is in the audit log with its mapping and without what is in the file', async () => {
    const mapping = { columns: plain };
    const text = csv(['name', 'url', 'description'], [unique('Audited'), 'https://audited.example', 'x']);
    await run(text, mapping);
    const [entry] = dataOf<unknown[]>(await directory.get('/api/admin/audit?limit=1', admin));
    expect(entry).toMatchObject({
      actor_id: admin.id,
      action: 'projects.importCsv',
      input: { mapping: JSON.stringify(mapping), file: { filename: 'some.csv', bytes: text.length } },
    });
  });

  it('stops at no bad row and names each with its column', async () => {
    const [a, b] = [unique('good'), unique('good')];
    const file = [
      'Title;Site;Text;Lat;Lon',
      `${a};https://a.example;"two\nlines; quoted"`.concat(';1,5;2'),
      ';https://a.example;no name;;',
      'No site;;text;;',
      'Bad site;none;text;;',
      'Too short;https://a.example',
      'Half a place;https://a.example;text;12;',
      'Far away;https://a.example;text;91;x',
      'Open;https://a.example;"quote;;',
      `${b};https://b.example;text;;`,
    ].join('\r\n');
    const columns = { Title: 'name', Site: 'url', Text: 'description', Lat: 'latitude', Lon: 'longitude' };
    const report = await run(`\ufeff${file}\r\n`, columns);
    expect(report).toMatchObject({ rows: 9, created: 2, failed: 7 });
    expect(report.errors).toEqual([
      { row: 3, column: 'Title', message: 'name: is required' },
      { row: 4, column: 'Site', message: 'url: is required' },
      { row: 5, column: 'Site', message: 'url: must be an http or https address' },
      { row: 6, column: null, message: 'The row has 2 cells in place of 5.' },
      { row: 7, column: 'Lon', message: 'longitude: latitude and longitude come together or not at all' },
      { row: 8, column: 'Lat', message: 'latitude: must be at most 90' },
      { row: 8, column: 'Lon', message: 'longitude: must be a number' },
      { row: 9, column: null, message: 'The row has a quote in the wrong place.' },
    ]);
    expect(await bySlug(a)).toMatchObject({ description: 'two\nlines; quoted', latitude: 1.5, longitude: 2 });
    expect(await isThere(b)).toBe(true);
  });

  it('gives every row of one name a slug of its own, and none that another row asks for', async () => {
    const name = unique('same');
    const rows = Array.from({ length: 120 }, (_, n) => [n === 60 ? `${name}-3` : '', name]);
    const mapping = {
      columns: { slug: 'slug', name: 'name' },
      defaults: { url: 'https://same.example', description: 'x' },
    };
    expect(await run(csv(['slug', 'name'], ...rows), mapping)).toMatchObject({ created: 120, failed: 0 });
    for (const slug of [name, `${name}-2`, `${name}-3`, `${name}-4`, `${name}-120`])
      expect(await isThere(slug)).toBe(true);
    expect(await isThere(`${name}-121`)).toBe(false);
    expect(await run(csv(['slug', 'name'], ['', name]), mapping)).toMatchObject({ created: 1 });
    expect(await isThere(`${name}-121`)).toBe(true);
  });

  it('keeps what is given for a new project and refuses an id or slug of another', async () => {
    const { id: taken, slug } = await directory.live(admin);
    const id = 'prj_01BX5ZZKBKACTAV9WEVGEMMVRZ';
    const header = ['id', 'slug', 'owner_id', 'name', 'url', 'description', 'created_at'];
    const rest = ['n', 'https://kept.example', 'x', '2020-02-29T12:00:00+02:00'];
    const file = csv(
      header,
      [id, 'kept-as-given', 'somebody', ...rest],
      [taken, 'another-slug', '', ...rest],
      ['prj_1', 'yet-another-slug', '', ...rest],
      ['', slug, '', ...rest],
      ['', 'import', '', ...rest],
      [id, 'the-same-id-again', '', ...rest],
    );
    const columns = Object.fromEntries(header.map((name) => [name, name]));
    const report = await run(file, { columns, match_by: 'url', on_conflict: 'error', defaults: {} });
    expect(report).toMatchObject({ created: 1, failed: 5 });
    expect(report.errors.map(({ row, column }) => [row, column])).toEqual([
      [3, 'url'],
      [4, 'id'],
      [5, 'url'],
      [6, 'url'],
      [7, 'url'],
    ]);
    const elsewhere = file.replaceAll('kept.example', () => `${unique('host')}.example`);
    expect((await run(elsewhere, { columns, match_by: 'url' })).errors.map(({ row, column }) => [row, column])).toEqual(
      [
        [2, 'id'],
        [2, 'slug'],
        [3, 'id'],
        [4, 'id'],
        [5, 'slug'],
        [6, 'slug'],
        [7, 'id'],
      ],
    );
    const at = '2020-02-29T10:00:00.000Z';
    expect(await bySlug('kept-as-given')).toMatchObject({ id, owner_id: 'somebody', created_at: at, published_at: at });
  });

  it('that is a dry run says what would happen and writes nothing', async () => {
    const [known, fresh] = [(await directory.live(admin)).slug, unique('fresh')];
    const before = [await everything(), dataOf(await directory.get('/api/categories'))];
    const file = csv(
      ['slug', 'name', 'url', 'description', 'kind'],
      [known, 'A', 'a.example', 'x', 'Never Heard Of'],
      [fresh, 'B', 'b.example', 'x', 'Never Heard Of'],
      [fresh, 'C', 'c.example', 'x', 'Never Heard Of'],
      ['', 'D', 'none', 'x', ''],
    );
    const columns = { slug: 'slug', ...plain, kind: 'categories' };
    const mapping = { columns, on_conflict: 'update', create_categories: true };
    const dry = await run(file, { ...mapping, dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, rows: 4, created: 1, updated: 2, skipped: 0, failed: 1 });
    expect([await everything(), dataOf(await directory.get('/api/categories'))]).toEqual(before);

    const wet = await run(file, mapping);
    expect({ ...wet, batch_id: '', dry_run: true }).toEqual({ ...dry, batch_id: '' });
    expect(await bySlug(fresh)).toMatchObject({ name: 'C', url: 'https://c.example', categories: ['never-heard-of'] });
    expect(await bySlug(known)).toMatchObject({ name: 'A', categories: ['never-heard-of'] });
  });
});

describe('categories of an import', () => {
  const columns = { ...plain, kind: 'categories' };
  const row = (kind: string) => [unique('n'), 'https://kinds.example', 'x', kind];
  const header = ['name', 'url', 'description', 'kind'];

  it('are slugs or names of existing ones in any case', async () => {
    const { slug } = await directory.addCategory({ name: 'Bière & Café', slug: unique('drinks') });
    const rows = [slug, 'bière & café', 'BIÈRE & CAFÉ', `${directory.category}|Bière & Café|${slug}`].map(row);
    expect(await run(csv(header, ...rows), columns)).toMatchObject({ created: 4, failed: 0 });
    expect((await bySlug(String(rows[1]?.[0]))).categories).toEqual([slug]);
    expect((await bySlug(String(rows[3]?.[0]))).categories).toEqual([directory.category, slug]);
  });

  it('that are unknown are an error, or are created where that is asked for and a good row needs them', async () => {
    const [wanted, unwanted] = [`Beer ${unique('Garden')}`, unique('Unwanted')];
    const bad = ['', 'https://kinds.example', 'x', unwanted];
    const file = csv(header, row(wanted), bad, row(wanted.toUpperCase()), row('x'.repeat(51)));
    const refused = await run(file, { columns });
    expect(refused).toMatchObject({ created: 0, failed: 4 });
    expect(refused.errors[0]).toEqual({ row: 2, column: 'kind', message: `categories: "${wanted}" is not a category` });

    const report = await run(file, { columns, create_categories: true });
    expect(report).toMatchObject({ created: 2, failed: 2 });
    const known = dataOf<{ name: string; slug: string; project_count: number }[]>(
      await directory.get('/api/categories'),
    );
    expect(known.find(({ name }) => name === wanted)).toMatchObject({
      slug: wanted.toLowerCase().replaceAll(' ', '-'),
      project_count: 2,
    });
    expect(known.some(({ name }) => name === unwanted)).toBe(false);
  });

  it('are at most five', async () => {
    const kinds = Array.from({ length: 6 }, () => unique('Kind')).join('|');
    const report = await run(csv(header, row(kinds)), { columns, create_categories: true });
    expect(report.errors).toEqual([{ row: 2, column: 'kind', message: 'categories: must name at most 5 categories' }]);
  });
});

describe('a row that matches a project', () => {
  const header = ['id', 'slug', 'url', 'name', 'description'];
  const columns = Object.fromEntries(header.map((name) => [name, name]));

  const setUp = async () => {
    const host = unique('match');
    const submitted = await directory.live(await person(world), {
      url: `https://${host}.example/a/?utm_source=x`,
      name: 'Old',
    });
    const keys = { slug: submitted.slug, id: submitted.id, url: `http://www.${host}.example/a#top` };
    const fresh = {
      id: `prj_01BX5ZZKBKACTAV9WEVG${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`,
      slug: unique('fresh'),
      url: `https://${unique('fresh')}.example`,
    };
    return { ...submitted, keys, fresh };
  };

  const fileFor = (match: 'slug' | 'id' | 'url', { keys, fresh }: Awaited<ReturnType<typeof setUp>>) => {
    const line = (of: typeof keys, name: string) => [
      match === 'id' ? of.id : '',
      match === 'slug' ? of.slug : '',
      match === 'url' ? of.url : 'https://elsewhere.example',
      name,
      'x',
    ];
    return csv(header, line(keys, 'Known'), line(fresh, 'First'), line(fresh, 'Second'), line(keys, 'Known again'));
  };

  const names = async (setting: Awaited<ReturnType<typeof setUp>>, match: 'slug' | 'id' | 'url') => {
    const known = (await bySlug(setting.id)).name;
    const all = [...(await everything()).values()];
    const fresh = all.find((project) => project[match] === setting.fresh[match])?.name;
    return [known, fresh];
  };

  describe.each(['slug', 'id', 'url'] as const)('by %s', (match_by) => {
    it('is skipped', async () => {
      const setting = await setUp();
      const report = await run(fileFor(match_by, setting), { columns, match_by, on_conflict: 'skip' });
      expect(report).toMatchObject({ created: 1, updated: 0, skipped: 3, failed: 0, errors: [] });
      expect(await names(setting, match_by)).toEqual(['Old', 'First']);
    });

    it('updates it', async () => {
      const setting = await setUp();
      const before = await bySlug(setting.id);
      const report = await run(fileFor(match_by, setting), { columns, match_by, on_conflict: 'update' });
      expect(report).toMatchObject({ created: 1, updated: 3, skipped: 0, failed: 0, errors: [] });
      expect(await names(setting, match_by)).toEqual(['Known again', 'Second']);
      const after = await bySlug(setting.id);
      expect(after).toMatchObject({
        id: before.id,
        slug: before.slug,
        owner_id: before.owner_id,
        categories: before.categories,
      });
    });

    it('is an error', async () => {
      const setting = await setUp();
      const report = await run(fileFor(match_by, setting), { columns, match_by, on_conflict: 'error' });
      expect(report).toMatchObject({ created: 1, updated: 0, skipped: 0, failed: 3 });
      expect(report.errors.map(({ row, column }) => [row, column])).toEqual([2, 4, 5].map((row) => [row, match_by]));
      expect(await names(setting, match_by)).toEqual(['Old', 'First']);
    });
  });

  it('by an earlier slug updates it too and leaves its slug as it is', async () => {
    const { id, slug } = await directory.live(admin);
    const later = unique('later');
    await directory.done('PUT', `/api/projects/${id}`, { slug: later });
    const mapping = { columns: { slug: 'slug', description: 'description' }, on_conflict: 'update' };
    expect(await run(csv(['slug', 'description'], [slug, 'New.']), mapping)).toMatchObject({ updated: 1 });
    expect(await bySlug(id)).toMatchObject({ slug: later, description: 'New.' });
  });

  it('changes only what it mentions: not owner, counters or what stands in blank cells', async () => {
    const owner = await person(world);
    const { id, slug } = await directory.live(owner, {
      tags: ['old'],
      logo_url: 'https://img.example/1.png',
      address_city: 'Bern',
    });
    await directory.as(owner, 'POST', `/api/projects/${slug}/upvote`);
    const before = await bySlug(slug);
    const file = csv(
      ['slug', 'owner_id', 'upvote_count', 'name', 'tags', 'logo_url', 'status', 'id'],
      [slug, 'thief', 99, '', 'new', '', 'rejected', 'prj_01BX5ZZKBKACTAV9WEVGEMMVS0'],
    );
    const mapped = {
      slug: 'slug',
      owner_id: 'owner_id',
      upvote_count: 'upvote_count',
      name: 'name',
      tags: 'tags',
      logo_url: 'logo_url',
      status: 'status',
      id: 'id',
    };
    const mapping = { columns: mapped, defaults: { logo_url: null }, on_conflict: 'update' };
    expect(await run(file, mapping)).toMatchObject({ updated: 1, failed: 0 });
    const after = await bySlug(slug);
    expect(after).toEqual({
      ...before,
      tags: ['new'],
      logo_url: null,
      status: 'rejected',
      updated_at: after.updated_at,
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(after.id).toBe(id);
  });

  it('must leave it valid as a whole', async () => {
    const { slug } = await directory.live(admin);
    const mapping = { columns: { slug: 'slug', latitude: 'latitude' }, on_conflict: 'update' };
    const report = await run(csv(['slug', 'latitude'], [slug, '12']), mapping);
    expect(report).toMatchObject({ updated: 0, failed: 1, errors: [{ row: 2, column: null }] });
    expect((await bySlug(slug)).latitude).toBeNull();
  });
});

describe('two imports at once', () => {
  const columns = { slug: 'slug', ...plain };
  const rows = (word: string, withSlug: boolean) =>
    Array.from({ length: 150 }, (_, n) => [withSlug ? `${word}-${n}s` : '', word, 'https://twice.example', 'x']);

  it('of one file make every project once', async () => {
    const word = unique('once');
    const file = csv(['slug', 'name', 'url', 'description'], ...rows(word, true));
    const reports = await Promise.all([run(file, columns), run(file, columns), run(file, columns)]);
    expect(reports.map(({ created, skipped }) => created + skipped)).toEqual([150, 150, 150]);
    expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(150);
    expect([...(await everything()).values()].filter(({ name }) => name === word)).toHaveLength(150);
  });

  it('of the same names give each its slug', async () => {
    const word = unique('twice');
    const file = csv(['slug', 'name', 'url', 'description'], ...rows(word, false));
    const reports = await Promise.all([run(file, columns), run(file, columns)]);
    expect(reports.map(({ created, failed }) => [created, failed])).toEqual([
      [150, 0],
      [150, 0],
    ]);
    const slugs = [...(await everything()).values()].flatMap(({ name, slug }) => (name === word ? [slug] : []));
    expect(new Set(slugs).size).toBe(300);
  });
});

describe('what cannot be imported at all', () => {
  const good = csv(['name', 'url', 'description'], ['n', 'https://a.example', 'x']);
  const send = (file: string | Uint8Array<ArrayBuffer>, mapping: unknown) =>
    sendImport(world, admin.token, file, mapping);

  it.each<[string, string | Uint8Array<ArrayBuffer>, unknown, (string | number)[]]>([
    ['a mapping that is not JSON', good, '{', ['mapping']],
    ['a field that does not exist', good, { name: 'nam' }, ['mapping', 'name']],
    ['a column that is not there', good, { columns: { ...plain, Nam: 'slug' } }, ['mapping', 'columns', 'Nam']],
    ['two columns to one field', good, { name: 'name', url: 'name' }, ['mapping', 'url']],
    ['a wrong default', good, { columns: plain, defaults: { plan: 'gold' } }, ['mapping', 'defaults', 'plan']],
    ['an empty file', '', plain, ['file']],
    ['a file of blank lines', '\r\n\r\n', plain, ['file']],
    ['a header without names', ',,\nn,u,d', plain, ['file']],
    ['another encoding', new Uint8Array(Buffer.from('name\nZürich', 'latin1')), plain, ['file']],
  ])('is 400: %s', async (_, file, mapping, path) => {
    expect(await send(file, mapping)).toMatchObject(invalidAt(...path));
  });

  it('is 400 for every part that is missing or there twice', async () => {
    const form = new FormData();
    form.set('other', 'x');
    const missing = await sendForm(world, IMPORT_PATH, admin.token, form);
    expect(missing).toMatchObject(invalidAt('file'));
    expect(missing).toMatchObject(invalidAt('mapping'));
    form.append('file', new Blob([good]), 'a.csv');
    form.append('file', new Blob([good]), 'b.csv');
    form.set('mapping', JSON.stringify(plain));
    expect(await sendForm(world, IMPORT_PATH, admin.token, form)).toMatchObject(invalidAt('file'));
  });

  it('is 400 for a body that is cut off or names no boundary', async () => {
    const boundary = 'multipart/form-data; boundary=b';
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,ur';
    for (const [type, rawBody] of [
      [boundary, head],
      [boundary, 'nothing of the kind'],
      [boundary, ''],
      ['multipart/form-data', head],
    ] as const) {
      const answer = await world.call('POST', IMPORT_PATH, {
        token: admin.token,
        rawBody,
        headers: { 'content-type': type },
      });
      expect(answer).toMatchObject(invalidAt());
    }
  });

  it.each(['application/json', 'text/csv', 'application/x-www-form-urlencoded', 'multipart/mixed; boundary=b'])(
    'is 415: %s',
    async (type) => {
      const headers = { 'content-type': type };
      const answer = await world.call('POST', IMPORT_PATH, { token: admin.token, rawBody: '{}', headers });
      expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
    },
  );

  it('is 413 with the limit in words when the file is too large, and not a byte earlier', async () => {
    const line = 'n,https://a.example,x\r\n';
    const fits = `${good}\r\n${line}`.padEnd(IMPORT_FILE_BYTES_MAX, '\r\n');
    const dry = { columns: plain, dry_run: true };
    expect(await send(fits, dry)).toMatchObject({ status: 200, body: { data: { rows: 2 } } });
    for (const file of [`${fits}\n`, fits.repeat(2).slice(0, 9_000_000)]) {
      const answer = await send(file, dry);
      expect(answer).toMatchObject({ status: 413, body: { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE' } });
      expect((answer.body as { message: string }).message).toContain('4.3 MB (4300000 bytes)');
    }
    const many = await send(`name,url\r\n${'a,b\r\n'.repeat(100_001)}`, dry);
    expect(many).toMatchObject({ status: 400 });
    const columns = { name: 'name', url: 'url' };
    expect(await send(`name,url\r\n${'a,b\r\n'.repeat(100_001)}`, columns)).toMatchObject({
      status: 413,
      body: { message: expect.stringContaining('100000 records') as unknown },
    });
  });

  it('takes mapping and file in whatever way a caller sends parts', async () => {
    const form = new FormData();
    form.set('mapping', new Blob([JSON.stringify({ columns: plain, dry_run: true })], { type: 'application/json' }));
    form.set('file', good);
    expect(await sendForm(world, IMPORT_PATH, admin.token, form)).toMatchObject({
      status: 200,
      body: { data: { created: 1 } },
    });
  });
});

const breweries = new URL('../../../shared/data/breweries.csv', import.meta.url);

describe.runIf(existsSync(breweries))('real listings', () => {
  it('are imported but for those without a web address, and exported as they were', async () => {
    const [header = [], ...records] = readCsv(readFileSync(breweries, 'utf8')).slice(0, 2001);
    const at = (name: string) => header.indexOf(name);
    const columns = {
      name: 'name',
      website_url: 'url',
      brewery_type: 'categories',
      city: 'address_city',
      country: 'address_country',
      latitude: 'latitude',
      longitude: 'longitude',
    };
    const mapping = {
      columns,
      defaults: { description: 'A brewery.', pricing_type: 'free', tags: ['real'] },
      create_categories: true,
    };
    const report = await run(csv(header, ...records), mapping);
    const without = records.flatMap((record, n) => (record[at('website_url')]?.trim() === '' ? [n + 2] : []));
    expect(report.errors.map(({ row, column }) => [row, column])).toEqual(without.map((row) => [row, 'website_url']));
    expect(report).toMatchObject({ rows: 2000, created: 2000 - without.length, failed: without.length });

    const facts = (record: readonly string[], names: readonly string[], of: readonly string[]) =>
      names.map((name) => (record[of.indexOf(name)] ?? '').trim().replace(/^'(?=['=+\-@])/, ''));
    const [fields = [], ...lines] = readCsv(await exported());
    const written = lines
      .filter((line) => line[fields.indexOf('tags')] === 'real')
      .map((line) => facts(line, Object.values(columns), fields));
    const expected = records
      .filter((record) => record[at('website_url')]?.trim() !== '')
      .map((record) =>
        facts(record, Object.keys(columns), header).map((cell, n) =>
          n > 4 && cell !== '' ? String(Number(cell)) : cell,
        ),
      );
    const sorted = (all: readonly string[][]) => all.map((one) => one.join('\t')).toSorted();
    expect(sorted(written)).toEqual(sorted(expected));
  }, 60_000);
});
