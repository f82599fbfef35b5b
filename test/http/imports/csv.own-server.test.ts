import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMPORT_FILE_BYTES_MAX } from '#contract/batches.ts';
import { importFields, type Project } from '#contract/projects.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, idOf, invalidAt, type Meta, person, success, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, IMPORT_PATH, importFile, readCsv, sendForm, sendImport } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const { admin } = directory;

const EXPORT_PATH = '/api/admin/projects/export';
const sameNames = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));
const identity = sameNames(importFields);
const plain = sameNames(['name', 'url', 'description']);

const run = (file: string, mapping: unknown) => importFile(server, admin.token, file, mapping);

/** Every project as administrators see it, by id. */
const allProjects = async (): Promise<Map<string, Project>> => {
  const all = new Map<string, Project>();
  for (let page = 1, more = true; more; page += 1) {
    const { body } = await directory.adminOk(
      'GET',
      `/api/admin/projects?status=all&sort=oldest&limit=100&page=${page}`,
    );
    const { data, meta } = body as { data: Project[]; meta: Meta };
    for (const project of data) all.set(project.id, project);
    more = meta.hasMore;
  }
  return all;
};

const exported = async (): Promise<string> => {
  const response = await directory.adminOk('GET', EXPORT_PATH);
  return response.body as string;
};

const bySlug = (slug: string): Promise<Project> => directory.read(slug, admin);
const exists = async (slug: string): Promise<boolean> =>
  (await directory.get(`/api/projects/${slug}`, admin)).status === 200;

type Published = ReturnType<typeof server.server.bus.events>[number];
const isPurge = ({ detail }: Published): boolean => detail.kind === 'projectPurged';
const isDone = ({ state }: Published['deliveries'][number]): boolean => state === 'done';

describe('the CSV export', () => {
  longTest('is a dated attachment with a column per field and a record per project of any status', async () => {
    const owner = await person(server);
    const ids = new Map<string, string>();
    for (const state of ['live', 'pending', 'rejected', 'deleted'] as const) {
      ids.set(state, (await directory.project(state, owner)).id);
    }
    const response = await directory.adminOk('GET', EXPORT_PATH);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="projects-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [header, ...records] = readCsv(response.body as string);
    expect(header).toEqual(importFields);
    expect(records.every((record) => record.length === importFields.length)).toBe(true);
    const recordById = new Map(records.map((record) => [record[0], record]));
    for (const [state, id] of ids) {
      const record = recordById.get(id);
      expect(record?.[importFields.indexOf('status')]).toBe(state === 'deleted' ? 'live' : state);
      expect(record?.[importFields.indexOf('deleted_at')] !== '').toBe(state === 'deleted');
    }
  });

  longTest('contains changes made just before', async () => {
    const owner = await person(server);
    const { slug } = await directory.live(owner, { tags: ['a|b', 'c\\d'], latitude: -12.5, longitude: 7 });
    await directory.ok(owner, 'POST', `/api/projects/${slug}/upvote`);
    const [, ...records] = readCsv(await exported());
    const record = records.find((one) => one[1] === slug);
    expect(record?.[importFields.indexOf('upvote_count')]).toBe('1');
    expect(record?.[importFields.indexOf('tags')]).toBe('a\\|b|c\\\\d');
    expect(record?.[importFields.indexOf('latitude')]).toBe('-12.5');
  });

  it('begins with a byte order mark when it is asked for one', async () => {
    const marked = await directory.get(`${EXPORT_PATH}?bom=true`, admin);
    expect(marked).toMatchObject({ status: 200, body: `\ufeff${await exported()}` });
    expect(await directory.get(`${EXPORT_PATH}?bom=false`, admin)).toMatchObject({ body: await exported() });
    expect(await directory.get(`${EXPORT_PATH}?bom=yes`, admin)).toMatchObject(invalidAt('bom'));
  });

  it('contains no text that starts a formula', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', "'=1+1", "'s Hertogenbosch", 'a;=1+1', 'b; "-1"', "c;'=1+1"];
    const file = csv(
      ['name', 'url', 'description'],
      ...names.map((name, at) => [name, `https://x.example/${at}`, `=${name}\t@x`]),
    );
    expect(await run(file, plain)).toMatchObject({ created: names.length });
    const [, ...records] = readCsv(await exported());
    const cells = records.flatMap((record) => [
      record[importFields.indexOf('name')],
      record[importFields.indexOf('description')],
    ]);
    // A spreadsheet that splits at semicolons or tabs runs formulas after them.
    expect(cells.filter((cell) => /(?:^|[;\t][ "]*)[=+\-@\t\r]/.test(cell ?? ''))).toEqual([]);
    const stored = [...(await allProjects()).values()].map(({ name }) => name);
    // A leading quote before a formula is that of a spreadsheet.
    expect(stored).toEqual(expect.arrayContaining(names.map((name) => name.replace(/(^|;)'(?==)/, '$1'))));
  });
});

describe('an export that is imported again', () => {
  const odd = [
    ['=HYPERLINK("x")', "'quoted", '"q"', 'a,b;c\td'],
    ['東京 😀', 'Straße', "'s", '\\'],
    ['-12', '+49', '@me', "''x"],
  ] as const;

  longTest('creates the same projects after all were deleted', async () => {
    const header = [
      ...['id', 'slug', 'name', 'url', 'description', 'long_description', 'categories', 'tags', 'screenshots'],
      ...['status', 'plan', 'pricing_type', 'latitude', 'longitude', 'owner_id'],
      ...['created_at', 'published_at', 'deleted_at', 'rejection_reason', 'paid_at'],
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
        column === 3 ? '' : `importer-${row}`,
        '2025-01-02T03:04:05.678Z',
        column === 1 ? '' : '2025-02-03T04:05:06.789Z',
        column === 3 ? '2025-03-04T05:06:07.890Z' : '',
        column === 2 ? '-no' : '',
        column === 1 ? '2025-01-03T00:00:00.000Z' : '',
      ]),
    );
    const mapping = { columns: sameNames(header), create_categories: true };
    expect(await run(csv(header, ...rows), mapping)).toMatchObject({ created: rows.length, failed: 0, errors: [] });

    const character = fc.constantFrom(...'\'=+-@＝\t\n; ",|\\aü');
    const texts = fc.sample(fc.string({ unit: character, maxLength: 12 }), { numRuns: 30, seed: 7 });
    const fields = ['slug', 'name', 'url', 'description', 'long_description', 'tags'];
    const generated = csv(
      fields,
      ...texts.map((text, n) => [`any-${n}`, `x${text}`, `https://any.example/${n};${n}`, `x;${text}`, text, text]),
    );
    expect(await run(generated, { columns: sameNames(fields) })).toMatchObject({
      created: texts.length,
      failed: 0,
      errors: [],
    });

    const voter = await person(server);
    await directory.ok(voter, 'POST', '/api/projects/odd-0-0/upvote');
    const before = await allProjects();
    const file = await exported();
    for (const id of before.keys()) await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    expect((await allProjects()).size).toBe(0);

    const report = await run(file, { columns: identity });
    expect(report).toMatchObject({ rows: before.size, created: before.size, failed: 0, errors: [] });
    const after = await allProjects();
    const counters = { upvote_count: 0, average_rating: 0, ratings_count: 0, comments_count: 0, views_count: 0 };
    expect([...after.values()]).toEqual([...before.values()].map((project) => ({ ...project, ...counters })));

    // The background deletion of the old projects must not affect the restored ones.
    await server.until(async () => {
      const purges = server.server.bus.events({ includeTasks: true, limit: 1000 }).filter(isPurge);
      return purges.length >= before.size && purges.every(({ deliveries }) => deliveries.every(isDone));
    });
    for (const { id, slug } of after.values()) expect((await bySlug(slug)).id).toBe(id);
    const again = await directory.ok(voter, 'POST', '/api/projects/odd-0-0/upvote');
    expect(again.body).toMatchObject({ data: { upvoted: true, upvote_count: 1 } });
    await directory.ok(voter, 'POST', '/api/projects/odd-0-0/upvote');
    expect(await exported()).toBe(file.replaceAll(',1,0,0,0,0,', ',0,0,0,0,0,'));
  });

  it('changes nothing in a directory that has the same projects', async () => {
    const before = await allProjects();
    const file = await exported();
    for (const match_by of ['slug', 'id'] as const) {
      const skipping = await run(file, { columns: identity, match_by });
      expect(skipping).toMatchObject({ created: 0, updated: 0, skipped: before.size, failed: 0 });
      const updating = await run(file, { columns: identity, match_by, on_conflict: 'update' });
      const deleted = [...before.values()].filter(({ deleted_at }) => deleted_at !== null).length;
      const updated = before.size - deleted;
      expect(updating).toMatchObject({ created: 0, updated, skipped: deleted, failed: 0 });
    }
    expect(await allProjects()).toEqual(before);
  });

  it('restores what was filled in since, where blank cells clear fields', async () => {
    const owner = await person(server);
    const [sparse, waiting] = [await directory.live(owner, { tags: [] }), await directory.project('pending', owner)];
    const before = [await bySlug(sparse.slug), await bySlug(waiting.slug)];
    const file = await exported();
    const filled = {
      tags: ['new'],
      logo_url: 'https://a.example/1.png',
      address_city: 'Bern',
      latitude: 1,
      longitude: 2,
    };
    await directory.adminOk('PUT', `/api/admin/projects/${sparse.id}`, filled);
    await directory.adminOk('PUT', `/api/admin/projects/${waiting.id}`, {
      status: 'rejected',
      rejection_reason: 'No.',
    });
    const mapping = { columns: identity, match_by: 'id', on_conflict: 'update', blank: 'clear' };
    expect(await run(file, mapping)).toMatchObject({ created: 0, failed: 0 });
    const after = [await bySlug(sparse.slug), await bySlug(waiting.slug)];
    const { updated_at } = after[0] ?? {};
    expect(after.map((project) => ({ ...project, updated_at }))).toEqual(
      before.map((project) => ({ ...project, updated_at })),
    );
  });
});

describe('the CSV import', () => {
  it('creates live projects of the administrator without events or mail', async () => {
    await untilEventsDelivered(server, directory);
    const known = new Set([...(await server.events()), ...(await server.mails())].map(({ id }) => id));
    const name = unique('Quiet');
    const report = await run(csv(['name', 'url', 'description'], [name, 'quiet.example', 'Sh.']), plain);
    const counts = { created: 1, updated: 0, skipped: 0, failed: 0 };
    expect(report).toMatchObject({ dry_run: false, rows: 1, ...counts, errors: [], batch_id: idOf('bat') });
    const project = await bySlug(name.toLowerCase());
    expect(project).toMatchObject({
      ...{ name, url: 'https://quiet.example', owner_id: admin.id },
      ...{ status: 'live', plan: 'standard', pricing_type: 'free', categories: [] },
    });
    expect(project.published_at).toBe(project.created_at);
    expect(dataOf<Project[]>(await directory.get(`/api/projects?q=${name}`))).toHaveLength(1);
    await untilEventsDelivered(server, directory);
    // Those of the submission which this waits for.
    const events = (await server.events()).filter(({ id }) => !known.has(id));
    expect(events.map(({ kind }) => kind)).toEqual(['projectSubmitted']);
    const mails = (await server.mails()).filter(({ id }) => !known.has(id));
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^We have received /)]);
  });

  it('is recorded in the audit log with its mapping but without the content of the file', async () => {
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

  it('reports each invalid row with its column and imports the others', async () => {
    const [a, b] = [unique('good'), unique('good')];
    const file = [
      'Title;Site;Text;Lat;Lon',
      `${a};https://%/1;"two\nlines; quoted"`.concat(';1,5;2'),
      ';https://%/2;no name;;',
      'No site;;text;;',
      'Bad site;none;text;;',
      'Too short;https://%/3',
      'Half a position;https://%/4;text;12;',
      'Far away;https://%/5;text;91;x',
      'Too precise;https://%/6;text;5e-324;-1e-200',
      'Open;https://%/7;"quote;;',
      `${b};https://%/8;text;;`,
    ].join('\r\n');
    const columns = { Title: 'name', Site: 'url', Text: 'description', Lat: 'latitude', Lon: 'longitude' };
    const report = await run(`\ufeff${file.replaceAll('%', `${a}.example`)}\r\n`, columns);
    expect(report).toMatchObject({ rows: 10, created: 2, failed: 8 });
    expect(report.errors).toEqual([
      { row: 3, column: 'Title', message: 'name: is required' },
      { row: 4, column: 'Site', message: 'url: is required' },
      { row: 5, column: 'Site', message: 'url: must be an http or https address' },
      { row: 6, column: 'Text', message: 'description: is required' },
      { row: 7, column: 'Lon', message: 'longitude: must be given together with latitude' },
      { row: 8, column: 'Lat', message: 'latitude: must be at most 90' },
      { row: 8, column: 'Lon', message: 'longitude: must be a number' },
      { row: 9, column: 'Lat', message: 'latitude: must be 0 or of a magnitude between 1e-130 and 9.99e125' },
      { row: 9, column: 'Lon', message: 'longitude: must be 0 or of a magnitude between 1e-130 and 9.99e125' },
      { row: 10, column: null, message: 'The row has a misplaced quote.' },
    ]);
    expect(await bySlug(a)).toMatchObject({ description: 'two\nlines; quoted', latitude: 1.5, longitude: 2 });
    expect(await exists(b)).toBe(true);
  });

  longTest('generates a different slug for each row with the same name, none that another row gives', async () => {
    const name = unique('same');
    const rows = Array.from({ length: 120 }, (_, n) => [n === 60 ? `${name}-3` : '', name]);
    const mapping = {
      columns: { slug: 'slug', name: 'name' },
      defaults: { url: 'https://same.example', description: 'x' },
    };
    expect(await run(csv(['slug', 'name'], ...rows), mapping)).toMatchObject({ created: 120, failed: 0 });
    for (const slug of [name, `${name}-2`, `${name}-3`, `${name}-4`, `${name}-120`])
      expect(await exists(slug)).toBe(true);
    expect(await exists(`${name}-121`)).toBe(false);
    expect(await run(csv(['slug', 'name'], ['', name]), { ...mapping, match_by: 'id' })).toMatchObject({
      created: 1,
    });
    expect(await exists(`${name}-121`)).toBe(true);
  });

  it('keeps the given fields of a new project and rejects an id or slug of another project', async () => {
    const { id: taken, slug } = await directory.live(admin);
    const id = 'prj_01BX5ZZKBKACTAV9WEVGEMMVRZ';
    const header = ['id', 'slug', 'owner_id', 'name', 'url', 'description', 'created_at'];
    const rest = ['n', 'https://kept.example', 'x', '2020-02-29T12:00:00+02:00'];
    const file = csv(
      header,
      [id, 'kept-as-given', 'another-user', ...rest],
      [taken, 'another-slug', '', ...rest],
      ['prj_1', 'yet-another-slug', '', ...rest],
      ['', slug, '', ...rest],
      ['', 'import', '', ...rest],
      [id, 'the-same-id-again', '', ...rest],
    );
    const columns = sameNames(header);
    const report = await run(file, { columns, match_by: 'url', on_conflict: 'error', defaults: {} });
    expect(report).toMatchObject({ created: 1, failed: 5 });
    const placesOf = ({ errors }: typeof report) => errors.map(({ row, column }) => `${row} ${column}`);
    expect(placesOf(report)).toEqual(['3 url', '4 id', '5 url', '6 url', '7 url']);
    const elsewhere = file.replaceAll('kept.example', () => `${unique('host')}.example`);
    const elsewhereReport = await run(elsewhere, { columns, match_by: 'url' });
    expect(placesOf(elsewhereReport)).toEqual(['2 id', '2 slug', '3 id', '4 id', '5 slug', '6 slug', '7 id']);
    const times = { created_at: '2020-02-29T10:00:00.000Z', published_at: '2020-02-29T10:00:00.000Z' };
    expect(await bySlug('kept-as-given')).toMatchObject({ id, owner_id: 'another-user', ...times });
  });

  longTest('reports the same outcome in a dry run but writes nothing', async () => {
    const [known, fresh] = [(await directory.live(admin)).slug, unique('fresh')];
    const before = [await allProjects(), dataOf(await directory.get('/api/categories'))];
    const file = csv(
      ['slug', 'name', 'url', 'description', 'kind'],
      [known, 'A', 'a.example', 'x', 'Unknown Kind'],
      [fresh, 'B', 'b.example', 'x', 'Unknown Kind'],
      [fresh, 'C', 'c.example', 'x', 'Unknown Kind'],
      ['', 'D', 'none', 'x', ''],
    );
    const columns = { slug: 'slug', ...plain, kind: 'categories' };
    const mapping = { columns, on_conflict: 'update', create_categories: true };
    const dry = await run(file, { ...mapping, dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, rows: 4, created: 1, updated: 2, skipped: 0, failed: 1 });
    expect([await allProjects(), dataOf(await directory.get('/api/categories'))]).toEqual(before);

    const report = await run(file, mapping);
    const { counts, items, ...outcome } = dry;
    expect({ ...report, batch_id: null, dry_run: true }).toEqual(outcome);
    expect(counts).toEqual({ created: 1, updated: 2, skipped: 0, failed: 1 });
    expect(items?.map(({ row, outcome: one, project }) => [row, one, project?.slug])).toEqual([
      [2, 'updated', known],
      [3, 'created', undefined],
      [4, 'updated', undefined],
      [5, 'failed', undefined],
    ]);
    expect(await bySlug(fresh)).toMatchObject({ name: 'C', url: 'https://c.example', categories: ['unknown-kind'] });
    expect(await bySlug(known)).toMatchObject({ name: 'A', categories: ['unknown-kind'] });
  });

  describe('is a dry run', () => {
    const send = (mapped: object, query: string, parts: Record<string, string>) => {
      const name = unique('dry');
      const file = csv(['name', 'url', 'description'], [name, 'https://dry.example', 'x']);
      const mapping = { columns: plain, ...mapped };
      return { name, response: sendImport(server, admin.token, file, mapping, { query, parts }) };
    };

    it.each<[string, object, string, Record<string, string>, boolean]>([
      ['the query says so', {}, '?dry_run=true', {}, true],
      ['a form field says so', {}, '', { dry_run: 'true' }, true],
      ['the mapping says so', { dry_run: true }, '?dry_run=false', { dry_run: 'false' }, true],
      ['one place of several says so', { dry_run: false }, '?dry_run=true', { dry_run: 'false' }, true],
      ['no place says otherwise', { dry_run: false }, '?dry_run=false', { dry_run: 'false' }, false],
    ])('when %s', async (_, mapped, query, parts, dry_run) => {
      const { name, response } = send(mapped, query, parts);
      expect(await response).toMatchObject(success({ dry_run, created: 1 }));
      expect(await exists(name)).toBe(!dry_run);
    });

    it.each<[string, object, string, Record<string, string>, string[]]>([
      ['the query', {}, '?dry_run=yes', {}, ['dry_run']],
      ['the query twice', {}, '?dry_run=true&dry_run=false', {}, ['dry_run']],
      ['a form field', {}, '', { dry_run: '1' }, ['dry_run']],
      ['a blank form field', {}, '', { dry_run: '' }, ['dry_run']],
      ['the mapping', { dry_run: 'maybe' }, '', {}, ['mapping', 'dry_run']],
    ])('and 400 for another value in %s', async (_, mapped, query, parts, path) => {
      const { name, response } = send(mapped, query, parts);
      expect(await response).toMatchObject(invalidAt(...path));
      expect(await exists(name)).toBe(false);
    });
  });
});

describe('categories of an import', () => {
  const columns = { ...plain, kind: 'categories' };
  const row = (kind: string) => [unique('n'), `https://${unique('kinds')}.example`, 'x', kind];
  const header = ['name', 'url', 'description', 'kind'];

  it('are matched by slug or by name, whose case, accents and blanks do not count', async () => {
    const word = unique('drinks');
    const { slug } = await directory.addCategory({ name: `Bière & Café ${word}`, slug: word });
    const entries = [
      slug,
      slug.toUpperCase(),
      `BIÈRE & CAFÉ ${word}`,
      `Biere  &\u00a0Cafe ${word}`,
      `${directory.category}|bière & café ${word}|${slug}`,
    ];
    const rows = entries.map(row);
    expect(await run(csv(header, ...rows), { columns })).toMatchObject({ created: entries.length, failed: 0 });
    for (const [position, [name = '']] of rows.entries()) {
      const expected = position === 4 ? [directory.category, slug] : [slug];
      expect((await bySlug(name)).categories).toEqual(expected);
    }
  });

  it('are others when their punctuation differs, and get slugs of their own', async () => {
    const word = unique('zed');
    const names = [word, `${word}++`, `${word}#`, `.${word}`, `!${word}!`, `${word} ☃`, `☃ ${word}`];
    const rows = names.map(row);
    await directory.addCategory({ name: word, slug: word });
    const strict = await run(csv(header, ...rows), { columns });
    expect(strict).toMatchObject({ created: 1, failed: names.length - 1 });
    expect(strict.errors.map(({ message }) => message)).toEqual(
      names.slice(1).map((name) => `categories: "${name}" is not a category`),
    );
    const mapping = { columns, create_categories: true, on_conflict: 'update' };
    // The second time they are found by their names.
    for (const _ of ['created', 'found']) {
      expect(await run(csv(header, ...rows), mapping)).toMatchObject({ failed: 0 });
      const known = dataOf<{ name: string; slug: string }[]>(await directory.get('/api/categories'));
      const ours = known.filter(({ name }) => names.includes(name));
      expect(ours.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
      for (const [position, [listing = '']] of rows.entries()) {
        const [category] = (await bySlug(listing)).categories;
        expect(ours.find(({ slug }) => slug === category)?.name).toBe(names[position]);
      }
    }
  });

  it('get another slug when that of their name is reserved', async () => {
    const file = csv(header, row('Map'));
    expect(await run(file, { columns, create_categories: true })).toMatchObject({ created: 1, failed: 0 });
    const known = dataOf<{ name: string; slug: string }[]>(await directory.get('/api/categories'));
    expect(known.find(({ name }) => name === 'Map')?.slug).toBe('map-2');
  });

  longTest('are the same exactly when their names are, whatever these are', async () => {
    // Without a hyphen: an entry may be the slug of a category.
    const part = fc.constantFrom('c', 'C', 'ç', '+', '#', '.', '_', '&', '/', ' ', '2', '東', '☃', 'ß');
    const text = fc.string({ unit: part, minLength: 1, maxLength: 4 });
    const same = (name: string): string =>
      name.normalize('NFD').replaceAll('\u0327', '').replaceAll('ß', 'ss').toLowerCase().replaceAll(/ +/g, ' ').trim();
    for (const sample of fc.sample(fc.array(text, { minLength: 60, maxLength: 60 }), { numRuns: 3, seed: 3 })) {
      const word = unique('w');
      // A name may have 50 characters.
      const names = sample.map((end) => `${word}${end}`.trimEnd());
      const rows = names.map(row);
      expect(await run(csv(header, ...rows), { columns, create_categories: true })).toMatchObject({
        created: rows.length,
        failed: 0,
        errors: [],
      });
      const known = dataOf<{ name: string; slug: string }[]>(await directory.get('/api/categories'));
      const nameOf = new Map(known.map(({ name, slug }) => [slug, name]));
      for (const [position, [listing = '']] of rows.entries()) {
        const [category = ''] = (await bySlug(listing)).categories;
        expect(same(nameOf.get(category) ?? '')).toBe(same(names[position] ?? ''));
      }
      const ours = known.filter(({ name }) => name.startsWith(word));
      expect(ours).toHaveLength(new Set(names.map(same)).size);
    }
  });

  it('that are unknown make the row invalid, or are created for valid rows with create_categories', async () => {
    const [wanted, unwanted] = [`Beer ${unique('Garden')}`, unique('Unwanted')];
    const bad = ['', 'https://kinds.example', 'x', unwanted];
    const file = csv(header, row(wanted), bad, row(wanted.toUpperCase()), row('x'.repeat(51)));
    const strict = await run(file, { columns });
    expect(strict).toMatchObject({ created: 0, failed: 4 });
    expect(strict.errors[0]).toEqual({ row: 2, column: 'kind', message: `categories: "${wanted}" is not a category` });

    expect(await run(file, { columns, create_categories: true })).toMatchObject({ created: 2, failed: 2 });
    const known = dataOf<{ name: string; slug: string; project_count: number }[]>(
      await directory.get('/api/categories'),
    );
    expect(known.find(({ name }) => name === wanted)).toMatchObject({
      slug: wanted.toLowerCase().replaceAll(' ', '-'),
      project_count: 2,
    });
    expect(known.some(({ name }) => name === unwanted)).toBe(false);
  });

  longTest('of a project whose last one was deleted may be missing in its row', async () => {
    const { id: categoryId, slug: kind } = await directory.addCategory();
    const { id, slug } = await directory.live(admin, { categories: [kind] });
    await directory.adminOk('DELETE', `/api/admin/categories/${categoryId}`);
    await server.until(async () => (await bySlug(id)).categories.length === 0);
    const mapping = { columns: sameNames(['slug', 'description']), on_conflict: 'update' };
    expect(await run(csv(['slug', 'description'], [slug, 'New.']), mapping)).toMatchObject({ updated: 1, errors: [] });
    expect(await bySlug(id)).toMatchObject({ description: 'New.', categories: [] });
    const [fields, ...records] = readCsv(await exported());
    const record = records.find((one) => one[0] === id) ?? [];
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    const again = csv(fields ?? [], record);
    expect(await run(again, { columns: identity })).toMatchObject({ created: 1, errors: [] });
    expect(await bySlug(id)).toMatchObject({ slug, categories: [] });
  });

  it('are created once, also when their names have no letters or contain control characters', async () => {
    const name = '☃'.repeat(unique('snow').length);
    const file = csv(header, row(`\u202e${name}`), row(`${name}|☃\u0007${name}`));
    const mapping = { columns, create_categories: true, on_conflict: 'update' };
    for (const expected of [{ created: 2 }, { updated: 2 }]) {
      expect(await run(file, mapping)).toMatchObject({ failed: 0, ...expected });
    }
    const categories = dataOf<{ name: string }[]>(await directory.get('/api/categories'));
    const created = categories.filter((one) => one.name.includes(name));
    expect(created).toHaveLength(2);
  });

  it('are limited to five per project', async () => {
    const kinds = Array.from({ length: 6 }, () => unique('Kind')).join('|');
    const report = await run(csv(header, row(kinds)), { columns, create_categories: true });
    expect(report.errors).toEqual([{ row: 2, column: 'kind', message: 'categories: must name at most 5 categories' }]);
  });
});

describe('a row that matches a project', () => {
  const header = ['id', 'slug', 'url', 'name', 'description'];
  const columns = sameNames(header);

  let fixtures = 0;
  const createFixture = async () => {
    fixtures += 1;
    const host = unique('match');
    const submitted = await directory.live(await person(server), {
      url: `https://${host}.example/a/?utm_source=x`,
      name: 'Old',
    });
    const keys = { slug: submitted.slug, id: submitted.id, url: `http://www.${host}.example/a#top` };
    const fresh = {
      id: `prj_01BX5ZZKBKACTAV9WEVG${String(fixtures).padStart(6, '0')}`,
      slug: unique('fresh'),
      url: `https://${unique('fresh')}.example`,
    };
    return { ...submitted, keys, fresh };
  };

  const fileFor = (match: 'slug' | 'id' | 'url', { keys, fresh }: Awaited<ReturnType<typeof createFixture>>) => {
    const line = (of: typeof keys, name: string) => [
      match === 'id' ? of.id : '',
      match === 'slug' ? of.slug : '',
      match === 'url' ? of.url : 'https://elsewhere.example',
      name,
      'x',
    ];
    return csv(header, line(keys, 'Known'), line(fresh, 'First'), line(fresh, 'Second'), line(keys, 'Known again'));
  };

  const names = async (fixture: Awaited<ReturnType<typeof createFixture>>, match: 'slug' | 'id' | 'url') => {
    const known = (await bySlug(fixture.id)).name;
    const all = [...(await allProjects()).values()];
    const fresh = all.find((project) => project[match] === fixture.fresh[match])?.name;
    return [known, fresh];
  };

  describe.each(['slug', 'id', 'url'] as const)('by %s', (match_by) => {
    it.each([
      ['is skipped', 'skip', { updated: 0, skipped: 3, failed: 0 }, ['Old', 'First']],
      ['updates the project', 'update', { updated: 3, skipped: 0, failed: 0 }, ['Known again', 'Second']],
      ['fails', 'error', { updated: 0, skipped: 0, failed: 3 }, ['Old', 'First']],
    ] as const)('%s with on_conflict: %s', async (_, on_conflict, counts, expected) => {
      const fixture = await createFixture();
      const { id, slug, owner_id, categories } = await bySlug(fixture.id);
      const report = await run(fileFor(match_by, fixture), { columns, match_by, on_conflict });
      expect(report).toMatchObject({ created: 1, ...counts });
      const failed = counts.failed > 0 ? [2, 4, 5] : [];
      expect(report.errors.map(({ row, column }) => [row, column])).toEqual(failed.map((row) => [row, match_by]));
      expect(await names(fixture, match_by)).toEqual(expected);
      expect(await bySlug(id)).toMatchObject({ id, slug, owner_id, categories });
    });
  });

  it('by an earlier slug updates the project and keeps its current slug', async () => {
    const { id, slug } = await directory.live(admin);
    const later = unique('later');
    await directory.adminOk('PUT', `/api/projects/${id}`, { slug: later });
    const mapping = { columns: { slug: 'slug', description: 'description' }, on_conflict: 'update' };
    expect(await run(csv(['slug', 'description'], [slug, 'New.']), mapping)).toMatchObject({ updated: 1 });
    expect(await bySlug(id)).toMatchObject({ slug: later, description: 'New.' });
  });

  it('changes neither owner, nor counters, nor fields with blank cells', async () => {
    const owner = await person(server);
    const { id, slug } = await directory.live(owner, {
      tags: ['old'],
      logo_url: 'https://img.example/1.png',
      address_city: 'Bern',
    });
    await directory.ok(owner, 'POST', `/api/projects/${slug}/upvote`);
    const before = await bySlug(slug);
    const changed = ['slug', 'owner_id', 'upvote_count', 'name', 'tags', 'logo_url', 'status', 'id'];
    const file = csv(changed, [...[slug, 'thief', 99, '', 'new', '', 'rejected', 'prj_01BX5ZZKBKACTAV9WEVGEMMVS0']]);
    const mapping = { columns: sameNames(changed), defaults: { logo_url: null }, on_conflict: 'update' };
    expect(await run(file, mapping)).toMatchObject({ updated: 1, failed: 0 });
    const after = await bySlug(slug);
    const { updated_at } = after;
    expect(after).toEqual({ ...before, id, tags: ['new'], logo_url: null, status: 'rejected', updated_at });
    expect(updated_at > before.updated_at).toBe(true);
  });

  it('fails when the updated project would be invalid', async () => {
    const { slug } = await directory.live(admin);
    const mapping = { columns: { slug: 'slug', latitude: 'latitude' }, on_conflict: 'update' };
    const report = await run(csv(['slug', 'latitude'], [slug, '12']), mapping);
    expect(report).toMatchObject({ updated: 0, failed: 1, errors: [{ row: 2, column: null }] });
    expect((await bySlug(slug)).latitude).toBeNull();
  });
});

describe('a file without slugs', () => {
  const header = ['name', 'url', 'description', 'kind'];
  const columns = { ...plain, kind: 'categories' };
  const line = (name: string, kind = '') => [name, `https://${unique('host')}.example`, 'First.', kind];

  it.each([
    ['skip', { skipped: 9 }, 'First.'],
    ['update', { updated: 9 }, 'Second.'],
    ['error', { failed: 9 }, 'First.'],
  ] as const)('creates nothing twice with on_conflict: %s', async (on_conflict, counts, description) => {
    const word = unique('again');
    const names = [
      `Müller ${word}`,
      `Muller ${word}`,
      word,
      `${word} 2`,
      word,
      `${word}-3`,
      word,
      `☃ ${'☃'.repeat(word.length)}`,
      'Export',
    ];
    const file = csv(header, ...names.map((name) => line(name, `${word} Café|${word} cafe|☃ ${word}`)));
    const mapping = { columns, on_conflict, create_categories: true };
    expect(await run(file, { ...mapping, on_conflict: 'skip' })).toMatchObject({ failed: 0, errors: [] });
    const before = await allProjects();
    const again = await run(file.replaceAll('First.', 'Second.'), mapping);
    expect(again).toMatchObject({ created: 0, updated: 0, skipped: 0, failed: 0, ...counts });
    if (on_conflict === 'error') {
      expect(again.errors[0]).toMatchObject({ row: 2, column: 'url' });
      expect(again.errors[0]?.message).toMatch(/^url: belongs to prj_\w+, which already exists$/);
    }
    const after = await allProjects();
    expect([...after.keys()]).toEqual([...before.keys()]);
    const ours = [...after.values()].filter(({ name }) => name.includes(word));
    expect(new Set(ours.map((project) => project.description))).toEqual(new Set([description]));
    expect(ours.map(({ slug }) => slug).toSorted()).toEqual(
      [`muller-${word}`, `muller-${word}-2`, word, `${word}-2`, `${word}-3`, `${word}-3-2`, `${word}-4`].toSorted(),
    );
    const categories = dataOf<{ slug: string }[]>(await directory.get('/api/categories'));
    expect(categories.filter(({ slug }) => slug.startsWith(word))).toHaveLength(2);
  });

  longTest('creates nothing twice, whatever the names are', async () => {
    const part = fc.constantFrom('a', 'A', 'ä', '2', '-', ' ', '☃', '東', 'map');
    const names = fc.array(fc.string({ unit: part, minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 40 });
    for (const sample of fc.sample(names, { numRuns: 4, seed: 11 })) {
      const used = sample.map((name) => `x${name}`);
      const file = csv(header, ...used.map((name) => line(name)));
      expect((await run(file, columns)).failed).toBe(0);
      const count = (await allProjects()).size;
      expect(await run(file, columns)).toMatchObject({ created: 0, skipped: used.length, failed: 0 });
      expect((await allProjects()).size).toBe(count);
    }
  });

  it('finds listings by their URL, not by the slug that its rows would get', async () => {
    const [name, host] = [unique('named'), unique('site')];
    const { id, slug } = await directory.live(admin, { name, url: `https://${host}.example/a` });
    const rows = [
      [`Better ${name}`, `http://www.${host}.example/a/`, 'Second.', ''],
      [name, `https://${host}.example/b`, 'Another.', ''],
    ];
    const mapping = { columns, on_conflict: 'update' };
    for (const counts of [
      { created: 1, updated: 1 },
      { created: 0, updated: 2 },
    ]) {
      expect(await run(csv(header, ...rows), { ...mapping, dry_run: true })).toMatchObject({ failed: 0, ...counts });
      expect(await run(csv(header, ...rows), mapping)).toMatchObject({ failed: 0, ...counts });
    }
    expect(await bySlug(id)).toMatchObject({ slug, name: `Better ${name}`, description: 'Second.' });
    expect(await bySlug(`${name}-2`)).toMatchObject({ name, url: `https://${host}.example/b` });
  });

  describe('with branches that have one URL', () => {
    const url = () => `https://${unique('brand')}.example`;
    const branch = (name: string, site: string, text: string) => [name, site, text, ''];
    const textsOf = async (site: string) => {
      const all = [...(await allProjects()).values()].filter((one) => one.url.includes(site.replace('https://', '')));
      return all.map(({ name, description, deleted_at }) => (deleted_at ? '' : `${name}: ${description}`)).toSorted();
    };
    const update = { columns, on_conflict: 'update' };

    it('creates a listing for each, and updates each with its own row', async () => {
      const [site, name] = [url(), unique('Branch')];
      const rows = [branch(`${name} North`, site, '1'), branch(name, site, '2'), branch(name, `${site}/`, '3')];
      expect(await run(csv(header, ...rows), { ...update, dry_run: true })).toMatchObject({ created: 3, updated: 0 });
      expect(await run(csv(header, ...rows), update)).toMatchObject({ created: 3, updated: 0 });
      expect(await run(csv(header, ...rows), columns)).toMatchObject({ created: 0, skipped: 3 });
      // In another order, with changes, a new name and a new branch.
      const later = [
        branch(name, site, '2b'),
        branch(name, site, '3b'),
        branch(`${name} South`, site, '1b'),
        branch(`${name} West`, site, '4'),
      ];
      expect(await run(csv(header, ...later), { ...update, dry_run: true })).toMatchObject({ created: 1, updated: 3 });
      expect(await run(csv(header, ...later), update)).toMatchObject({ created: 1, updated: 3, errors: [] });
      const after = [`${name} South: 1b`, `${name}: 2b`, `${name}: 3b`, `${name} West: 4`];
      expect(await textsOf(site)).toEqual(after.toSorted());
    });

    it('skips the rows of those that are deleted, and updates the others', async () => {
      const [site, word] = [url(), unique('branch')];
      const rows = ['a', 'b', 'c'].map((end) => branch(`${word}-${end}`, site, '1'));
      await run(csv(header, ...rows), columns);
      await directory.adminOk('DELETE', `/api/projects/${word}-b`);
      const again = await run(csv(header, ...rows.map((row) => row.with(2, '2'))), update);
      expect(again).toMatchObject({ created: 0, updated: 2, skipped: 1, failed: 0 });
      expect(again.errors).toMatchObject([{ row: 3, column: 'url' }]);
      expect(await textsOf(site)).toEqual(['', `${word}-a: 2`, `${word}-c: 2`]);
    });

    it('finds those again that the file itself deletes', async () => {
      const [site, word] = [url(), unique('branch')];
      const at = '2026-01-02T03:04:05.000Z';
      const rows = [at, '', at, at].map((deleted, n) => [`${word} ${n}`, site, 'x', deleted]);
      const file = csv(['name', 'url', 'description', 'deleted_at'], ...rows);
      const mapping = { columns: { ...plain, deleted_at: 'deleted_at' }, on_conflict: 'update' };
      expect(await run(file, mapping)).toMatchObject({ created: 4, skipped: 0, failed: 0 });
      expect(await run(file, mapping)).toMatchObject({ created: 0, updated: 1, skipped: 3, failed: 0 });
    });

    it('takes them for one listing when rows are matched by URL', async () => {
      const site = url();
      const rows = [branch(unique('one'), site, '1'), branch(unique('two'), site, '2')];
      for (const dry_run of [true, false]) {
        const report = await run(csv(header, ...rows), { ...update, match_by: 'url', dry_run });
        expect(report).toMatchObject({ created: 1, updated: 1, failed: 0 });
      }
      expect(await textsOf(site)).toEqual([`${rows[1]?.[0]}: 2`]);
    });
  });

  it('keeps apart what rows with and without a slug find', async () => {
    const url = `https://${unique('host')}.example`;
    const [bySlugs, byUrl] = [await directory.live(admin), await directory.live(admin, { url })];
    const given = { slug: 'slug', ...columns };
    const rows = [
      [bySlugs.slug, 'By slug', `https://${unique('host')}.example`, 'First.', ''],
      [' ', 'By URL', url, 'Second.', ''],
      // A new slug with the URL of a listing.
      [unique('own'), 'New', url, 'Third.', ''],
    ];
    const mapping = { columns: given, on_conflict: 'update' };
    expect(await run(csv(Object.keys(given), ...rows), mapping)).toMatchObject({ created: 1, updated: 2, failed: 0 });
    expect(await bySlug(bySlugs.slug)).toMatchObject({ name: 'By slug', description: 'First.' });
    expect(await bySlug(byUrl.slug)).toMatchObject({ name: 'By URL', description: 'Second.' });
    expect(await bySlug(rows[2]?.[0] ?? '')).toMatchObject({ name: 'New', description: 'Third.' });
  });

  it('leaves the listings to rows that name their slugs, also later ones', async () => {
    const url = `https://${unique('host')}.example`;
    const [named, other] = [await directory.live(admin, { url }), await directory.live(admin, { url })];
    const given = { slug: 'slug', ...columns };
    const rows = [
      ['', 'Renamed', url, 'Second.', ''],
      [named.slug, 'Named', url, 'First.', ''],
    ];
    for (const dry_run of [true, false]) {
      const mapping = { columns: given, on_conflict: 'update', dry_run };
      expect(await run(csv(Object.keys(given), ...rows), mapping)).toMatchObject({ created: 0, updated: 2, failed: 0 });
    }
    expect(await bySlug(named.slug)).toMatchObject({ name: 'Named', description: 'First.' });
    expect(await bySlug(other.slug)).toMatchObject({ name: 'Renamed', description: 'Second.' });
  });

  it('leaves the slugs to rows that name them in HTML', async () => {
    const [name, url] = [unique('html'), `https://${unique('html')}.example`];
    const file = csv(
      ['slug', ...header.slice(0, 3)],
      ['', name, `${url}/1`, 'x'],
      [`<b>${name}</b>`, 'Other', `${url}/2`, 'x'],
    );
    const mapping = { columns: { slug: 'slug', ...plain }, text: 'html', on_conflict: 'update' };
    expect(await run(file, mapping)).toMatchObject({ created: 2, updated: 0, failed: 0 });
    expect([await bySlug(name), await bySlug(`${name}-2`)]).toMatchObject([{ name: 'Other' }, { name }]);
  });

  it('reports what an invalid row lacks when no listing has its URL', async () => {
    const url = `https://${unique('host')}.example`;
    await directory.live(admin, { url });
    const file = csv(['url', 'logo_url'], [url, 'none'], [`https://${unique('host')}.example`, 'none'], ['', 'none']);
    const report = await run(file, { columns: sameNames(['url', 'logo_url']), on_conflict: 'update' });
    expect(report.errors.map(({ row, message }) => `${row} ${message.split(':')[0]}`)).toEqual([
      '2 logo_url',
      ...['3 logo_url', '3 name', '3 description'],
      ...['4 logo_url', '4 name', '4 url', '4 description'],
    ]);
  });

  it('creates the rows that were invalid before, and no others', async () => {
    const name = unique('fixed');
    const rows = [line(name), [name, 'none', 'x', ''], line(name)];
    expect(await run(csv(header, ...rows), columns)).toMatchObject({ created: 2, failed: 1 });
    const fixed = csv(header, ...rows.map((row, n) => (n === 1 ? line(name) : row)));
    expect(await run(fixed, columns)).toMatchObject({ created: 1, skipped: 2, failed: 0 });
    for (const slug of [name, `${name}-2`, `${name}-3`]) expect(await bySlug(slug)).toMatchObject({ name });
  });
});

describe('a row that matches a deleted project', () => {
  const header = ['id', 'slug', 'name', 'url', 'description'];
  const columns = sameNames(header);

  it.each([
    ['slug', 'skip', 'slug'],
    ['url', 'update', 'slug'],
    ['id', 'update', 'id'],
    ['url', 'error', 'url'],
  ] as const)(
    'by %s is skipped and listed with on_conflict: %s, match_by: %s',
    async (match, on_conflict, match_by) => {
      const name = unique('gone');
      const url = `https://${name}.example/a`;
      const { id, slug } = await directory.project('deleted', admin, { name, url });
      const before = await bySlug(id);
      const given = { id, slug, url: `http://www.${name}.example/a/` };
      const cells = { id: '', slug: '', name: unique('other'), url: 'https://other.example', [match]: given[match] };
      const file = csv(header, [cells.id, cells.slug, cells.name, cells.url, 'New.']);
      const report = await run(file, { columns, match_by, on_conflict });
      expect(report).toMatchObject({ rows: 1, created: 0, updated: 0, skipped: 1, failed: 0 });
      const message = `${match}: belongs to ${id}, which is deleted; restore it or delete it permanently first`;
      expect(report.errors).toEqual([{ row: 2, column: match, message }]);
      expect(await bySlug(id)).toEqual(before);
    },
  );

  longTest('is matched by its URL only when no other project has it', async () => {
    const [name, url] = [unique('both'), `https://${unique('both')}.example`];
    await directory.project('deleted', admin, { url });
    const { id } = await directory.live(admin, { url });
    const file = csv(header, ['', '', name, url, 'New.']);
    expect(await run(file, { columns, match_by: 'url', on_conflict: 'update' })).toMatchObject({
      updated: 1,
      errors: [],
    });
    expect(await bySlug(id)).toMatchObject({ name, description: 'New.' });
  });
});

longTest.each([
  ['with slugs', '-', 'a'],
  ['without slugs', '', 'a'],
  ['without slugs, whose names have no letters,', '', '☃'],
])('concurrent imports of one file %s create every project once', async (_, slug, letter) => {
  const word = unique('once');
  const name = word.replaceAll(/./g, letter);
  const columns = { slug: 'slug', ...plain };
  // One that has the slug of the name already, so that later ones are tried.
  await directory.live(admin, { name, url: `https://${word}.example/other` });
  const rowOf = (n: number) => [slug && `${word}${slug}${n}s`, name, `https://${word}.example/${n % 50}`, 'x'];
  const file = csv(['slug', 'name', 'url', 'description'], ...Array.from({ length: 150 }, (_row, n) => rowOf(n)));
  const reports = await Promise.all([run(file, columns), run(file, columns), run(file, columns)]);
  for (const { created, skipped, failed } of reports) expect([created + skipped, failed]).toEqual([150, 0]);
  expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(150);
  const all = [...(await allProjects()).values()].filter(({ url }) => url.includes(word));
  expect(new Set(all.map((project) => project.slug)).size).toBe(151);
  expect(all).toHaveLength(151);
});

describe('the parsing of an upload', () => {
  const good = csv(['name', 'url', 'description'], ['n', 'https://a.example', 'x']);
  const send = (file: string | Uint8Array<ArrayBuffer>, mapping: unknown) =>
    sendImport(server, admin.token, file, mapping);

  it.each<[string, string | Uint8Array<ArrayBuffer>, unknown, (string | number)[]]>([
    ['a mapping that is not JSON', good, '{', ['mapping']],
    ['a missing column', good, { columns: { ...plain, Nam: 'slug' } }, ['mapping', 'columns', 'Nam']],
    ['an invalid default', good, { columns: plain, defaults: { plan: 'gold' } }, ['mapping', 'defaults', 'plan']],
    ['an empty file', '', plain, ['file']],
    ['a file of blank lines', '\r\n\r\n', plain, ['file']],
    ['a header without names', ',,\nn,u,d', plain, ['file']],
    ['another encoding', new Uint8Array(Buffer.from('name\nZürich', 'latin1')), plain, ['file']],
  ])('returns 400 for %s', async (_, file, mapping, path) => {
    expect(await send(file, mapping)).toMatchObject(invalidAt(...path));
  });

  it('returns 400 naming every missing or repeated part', async () => {
    const form = new FormData();
    const missing = await sendForm(server, IMPORT_PATH, admin.token, form);
    expect(missing).toMatchObject(invalidAt('file'));
    expect(missing).toMatchObject(invalidAt('mapping'));
    form.append('file', new Blob([good]), 'a.csv');
    form.append('file', new Blob([good]), 'b.csv');
    form.set('mapping', JSON.stringify(plain));
    expect(await sendForm(server, IMPORT_PATH, admin.token, form)).toMatchObject(invalidAt('file'));
  });

  it.each(['other', 'File', 'constructor', '__proto__'])('returns 400 for the unknown part %s', async (name) => {
    const form = new FormData();
    form.set('file', new Blob([good]), 'a.csv');
    form.set('mapping', JSON.stringify(plain));
    form.set(name, 'x');
    const { status, body } = await sendForm(server, IMPORT_PATH, admin.token, form);
    const { details } = body as { details: object };
    expect([status, Object.keys(details)]).toEqual([400, ['_errors', name]]);
  });

  it('returns 400 for a truncated body or a missing boundary', async () => {
    const boundary = 'multipart/form-data; boundary=b';
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,ur';
    for (const [type, rawBody] of [
      [boundary, head],
      [boundary, ''],
      ['multipart/form-data', head],
    ] as const) {
      const request = { token: admin.token, rawBody, headers: { 'content-type': type } };
      expect(await server.call('POST', IMPORT_PATH, request)).toMatchObject(invalidAt());
    }
  });

  longTest('returns 413 with the limit when the file is one byte too large', async () => {
    const line = 'n,https://a.example,x\r\n';
    const fits = `${good}\r\n${line}`.padEnd(IMPORT_FILE_BYTES_MAX, '\r\n');
    const dry = { columns: plain, dry_run: true };
    expect(await send(fits, dry)).toMatchObject(success({ rows: 2 }));
    for (const file of [`${fits}\n`, fits.repeat(2).slice(0, 9_000_000)]) {
      const response = await send(file, dry);
      expect(response).toMatchObject({ status: 413, body: { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE' } });
      expect((response.body as { message: string }).message).toContain('4.3 MB (4300000 bytes)');
    }
    const columns = { name: 'name', url: 'url' };
    expect(await send(`name,url\r\n${'a,b\r\n'.repeat(100_001)}`, columns)).toMatchObject({
      status: 413,
      body: { message: expect.stringContaining('100000 records') as unknown },
    });
  });

  it('takes the mapping as a file and the file as a field', async () => {
    const form = new FormData();
    form.set('mapping', new Blob([JSON.stringify({ columns: plain, dry_run: true })], { type: 'application/json' }));
    form.set('file', good.replace('a.example', `${unique('field')}.example`));
    expect(await sendForm(server, IMPORT_PATH, admin.token, form)).toMatchObject(success({ created: 1 }));
  });
});
