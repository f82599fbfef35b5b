import { expect, it } from 'vitest';
import type { Batch, BatchItem } from '#contract/batches.ts';
import { IMPORT_BYTES_MAX, IMPORT_ROWS_MAX, type Import, type ImportPreview } from '#contract/imports.ts';
import { readFilePart } from '#platform/s3.ts';
import { conflict, dataOf, idOf, invalidAt, metaOf, success, TIME, unique } from '#test/support/fixtures.ts';
import { announce, IMPORTS, importIn, readImport, sendUpload, startImport, uploadFile } from '#test/support/imports.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, readCsv, sendImport } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { directory } = await sharedDirectory();

const INVALID_TRANSITION = conflict('INVALID_TRANSITION');
const BATCHES = '/api/admin/batches';

const asAdmin = (method: string, path: string, body?: unknown) => directory.asAdmin(method, path, body);

const previewOf = async (id: string, rows = 20): Promise<ImportPreview> =>
  dataOf(await directory.adminOk('GET', `${IMPORTS}/${id}/preview?rows=${rows}`));

const noCounts = { created: 0, updated: 0, skipped: 0, failed: 0 };

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const windows = (text: string): Buffer => Buffer.from(text, 'latin1');

interface ProductFile {
  readonly product: string;
  readonly separator: ImportPreview['separator'];
  readonly encoding: string;
  readonly encode: (text: string) => Buffer;
  readonly header: readonly string[];
  /** Of a place with this name. */
  readonly record: (name: string) => readonly string[];
  readonly mapping: Omit<ImportPreview['mapping'], 'text'>;
}

// The columns of other products, with invented places.
const productFiles: readonly ProductFile[] = [
  {
    ...{ product: 'GeoDirectory', separator: ',', encoding: 'utf-8', encode: (text) => Buffer.from(text) },
    header:
      'ID post_title post_content post_status post_category post_tags city country latitude longitude website'.split(
        ' ',
      ),
    record: (name) => [
      ...['71', name, 'Tapas at "the corner",\nopen late.', 'publish', 'Bars,Food', 'tapas', 'Bilbao', 'Spain'],
      ...['43.26', '-2.93', 'https://one.example'],
    ],
    mapping: {
      columns: {
        ...{ post_title: 'name', post_content: 'description', post_category: 'categories', post_tags: 'tags' },
        ...{ city: 'address_city', country: 'address_country', latitude: 'latitude', longitude: 'longitude' },
        website: 'url',
      },
      list_separator: ',',
    },
  },
  {
    ...{ product: 'Brilliant Directories', separator: ';', encoding: 'windows-1252', encode: windows },
    header: [
      ...['user_id', 'email', 'company', 'website', 'search_description', 'about_me', 'profession_name', 'city'],
      ...['country_name', 'lat', 'lon', 'active'],
    ],
    record: (name) => [
      ...['9', 'a@two.example', name, 'www.two.example', 'Künstler und Café', 'Seit 1999.', 'Food', 'Zürich'],
      ...['Schweiz', '47,37', '8,54', '2'],
    ],
    mapping: {
      columns: {
        ...{ company: 'name', website: 'url', search_description: 'description', about_me: 'long_description' },
        ...{ profession_name: 'categories', city: 'address_city', country_name: 'address_country' },
        ...{ lat: 'latitude', lon: 'longitude' },
      },
      list_separator: '|',
    },
  },
  {
    ...{ product: 'eDirectory', separator: '\t', encoding: 'utf-16le', encode: utf16 },
    header: [
      ...['Listing ID', 'Listing Title', 'Listing Web Address', 'Listing Summary Description'],
      ...['Listing Detail Description', 'Listing Category', 'Listing Keywords', 'Listing Latitude'],
    ],
    record: (name) => ['3', name, 'https://three.example', 'Noodles — 面', 'More.', 'Food', 'noodles;soup', ''],
    mapping: {
      columns: {
        ...{ 'Listing Title': 'name', 'Listing Web Address': 'url', 'Listing Summary Description': 'description' },
        ...{ 'Listing Detail Description': 'long_description', 'Listing Category': 'categories' },
      },
      list_separator: '|',
    },
  },
  {
    ...{ product: 'Directorist', separator: ';', encoding: 'utf-16be' },
    encode: (text) => utf16(text).subarray(2).swap16(),
    header: 'title excerpt description category tag website manual_lat manual_lng publish_date'.split(' '),
    record: (name) => [
      ...[name, 'Short.', 'Long, and longer.', 'Food', 'Bread', 'https://four.example', '1.5', '2.5', '2024-05-01'],
    ],
    mapping: {
      columns: {
        ...{ title: 'name', description: 'description', category: 'categories', tag: 'tags', website: 'url' },
        ...{ manual_lat: 'latitude', manual_lng: 'longitude', publish_date: 'published_at' },
      },
      list_separator: '|',
    },
  },
  {
    ...{ product: 'HivePress', separator: ',', encoding: 'utf-8', encode: (text) => Buffer.from(`\ufeff${text}`) },
    header: [
      ...['Title', 'Content', 'Permalink', 'Date', 'Image URL', 'hp_listing_category', 'hp_latitude', 'hp_longitude'],
      'hp_website',
    ],
    record: (name) => [
      ...[name, 'Bücher.', 'https://old.example/listing/1', '2024-05-01 10:00:00', 'https://old.example/1.png'],
      ...['Food|Books', '1', '2', 'https://five.example'],
    ],
    mapping: {
      columns: {
        ...{ Title: 'name', Content: 'description', 'Image URL': 'logo_url', hp_listing_category: 'categories' },
        ...{ hp_latitude: 'latitude', hp_longitude: 'longitude', hp_website: 'url' },
      },
      list_separator: '|',
    },
  },
];

longTest.each(productFiles)(
  'an export of $product is imported with the proposed mapping',
  async ({ encode, header, record, ...expected }) => {
    const name = `Plätzchen ${unique('place')}`;
    const { separator, encoding, mapping } = expected;
    const text = csv(header, record(name)).replaceAll('","', `"${separator}"`);
    const id = await uploadFile(directory, encode(text));
    const proposed = { ...mapping, encoding, text: 'plain' };
    const rows = [record(name)];
    expect(await previewOf(id)).toEqual({ header, separator, encoding, mapping: proposed, ignored: [], rows });
    await startImport(directory, id, { ...proposed, create_categories: true });
    const { batch_id, counts } = await importIn(directory, id, 'done');
    expect(counts).toEqual({ ...noCounts, created: 1 });
    const [item] = dataOf<BatchItem[]>(await directory.adminOk('GET', `${BATCHES}/${batch_id}/items`));
    const project = await directory.read(item?.project?.id ?? '', directory.admin);
    const at = (field: string): string =>
      record(name)[header.indexOf(Object.entries(mapping.columns).find(([, to]) => to === field)?.[0] ?? '')] ?? '';
    expect(project).toMatchObject({ name, description: at('description'), url: expect.stringContaining(at('url')) });
  },
);

const header = ['name', 'url', 'description', 'category', 'stars'];
const columns = { name: 'name', url: 'url', description: 'description', category: 'categories' };
const rowsFor = (word: string, count: number) =>
  Array.from({ length: count }, (_, number) => [
    `${word} ${number}`,
    `https://${word}-${number}.example`,
    'A place.',
    '',
    '5',
  ]);

it('an import is announced, uploaded once, planned, imported and reverted', async () => {
  const word = unique('large');
  const [good, bad] = [rowsFor(word, 3), [`${word} bad`, 'nonsense', '=1+1', '', '1']];
  const file = Buffer.from(csv(header, ...good, bad));
  const { id, upload, state } = await announce(directory, file.length, 'places.csv');
  expect({ id, state, headers: upload.headers }).toEqual({
    id: idOf('imp'),
    state: 'waiting',
    headers: { 'content-length': String(file.length), 'if-none-match': '*' },
  });
  const waiting: Import = {
    id,
    filename: 'places.csv',
    bytes: file.length,
    state: 'waiting',
    rows_total: null,
    rows_done: 0,
    counts: noCounts,
    batch_id: null,
    created_at: expect.anything() as string,
    started_at: null,
    cancel_requested_at: null,
    finished_at: null,
    error: null,
    dry_run: null,
    ignored: [],
  };
  expect(await readImport(directory, id)).toEqual(waiting);
  const path = `${IMPORTS}/${id}`;
  expect(await asAdmin('GET', `${path}/preview`)).toMatchObject(INVALID_TRANSITION);
  expect(await asAdmin('POST', `${path}/start`, { mapping: { columns } })).toMatchObject(INVALID_TRANSITION);

  const longer = Buffer.concat([file, Buffer.from('\n')]);
  const { 'if-none-match': _once, ...withoutCondition } = upload.headers;
  const expired = upload.url.replace(/X-Amz-Date=\d{8}/, 'X-Amz-Date=20200101');
  const refused = [
    await sendUpload(upload, { ...upload.headers, 'content-length': String(longer.length) }, longer),
    await sendUpload(upload, withoutCondition, file),
    await sendUpload({ ...upload, url: upload.url.split('?')[0] ?? '' }, upload.headers, file),
    await sendUpload({ ...upload, url: expired }, upload.headers, file),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(await readImport(directory, id)).toEqual(waiting);
  expect(await sendUpload(upload, upload.headers, file)).toMatchObject({ status: 200 });
  expect(await sendUpload(upload, upload.headers, file)).toMatchObject({ status: 412 });
  expect(await readImport(directory, id)).toEqual({ ...waiting, state: 'uploaded' });
  expect(await previewOf(id, 1)).toMatchObject({ header, rows: [good[0]] });

  for (const [mapping, at] of [
    [{ columns: { ...columns, other: 'tags' } }, ['mapping', 'columns', 'other']],
    [{ columns, defaults: { status: 'gone' } }, ['mapping', 'defaults', 'status']],
    [{ name: 'none' }, ['mapping', 'name']],
    [undefined, ['mapping']],
  ] as const) {
    expect(await asAdmin('POST', `${path}/start`, { mapping })).toMatchObject(invalidAt(...at));
  }
  expect(await asAdmin('POST', `${path}/start?dry_run=1`, { mapping: { columns } })).toMatchObject(
    invalidAt('dry_run'),
  );

  await startImport(directory, id, columns, '?dry_run=true');
  const planned = await importIn(directory, id, 'uploaded');
  expect(planned).toMatchObject({ rows_total: 4, batch_id: null, dry_run: { counts: { created: 3, failed: 1 } } });
  expect(planned.dry_run?.problems).toEqual([{ message: expect.any(String), rows: 1 }]);
  expect(planned.dry_run?.items.map(({ row, outcome }) => [row, outcome])).toEqual([
    [2, 'created'],
    [3, 'created'],
    [4, 'created'],
    [5, 'failed'],
  ]);
  expect(await directory.get(`/api/projects?q=${word}`)).toMatchObject({ body: { meta: { total: 0 } } });

  expect(await startImport(directory, id, { columns })).toMatchObject({ state: 'checking', started_at: TIME });
  expect(await asAdmin('POST', `${path}/start`, { mapping: { columns } })).toMatchObject(INVALID_TRANSITION);
  const done = await importIn(directory, id, 'done');
  const counts = { ...noCounts, created: 3, failed: 1 };
  expect(done).toMatchObject({ rows_total: 4, rows_done: 4, counts, batch_id: idOf('bat'), finished_at: TIME });
  const batch = `${BATCHES}/${done.batch_id}`;
  expect(dataOf<Batch>(await directory.adminOk('GET', batch))).toMatchObject({
    kind: 'import',
    state: 'done',
    counts,
    actor: { id: directory.admin.id },
    summary: 'Import of 4 rows from "places.csv"',
  });
  const errors = String((await directory.adminOk('GET', `${batch}/errors.csv`)).body);
  expect(readCsv(errors)).toEqual([
    [...header, 'error'],
    [bad[0], bad[1], "'=1+1", '', '1', expect.stringMatching(/^url: /)],
  ]);
  for (const [method, action] of [
    ['GET', 'preview'],
    ['POST', 'cancel'],
  ] as const) {
    expect(await asAdmin(method, `${path}/${action}`)).toMatchObject(INVALID_TRANSITION);
  }
  // The file is deleted.
  expect(await readFilePart(id, 0, 1)).toBeUndefined();
  const listed = await asAdmin('GET', `${IMPORTS}?limit=100`);
  const { dry_run: _dryRun, ignored: _ignored, ...summary } = done;
  expect(dataOf<Import[]>(listed).find((one) => one.id === id)).toEqual(summary);
  expect(metaOf(listed)).toMatchObject({ page: 1, pageSize: 100 });

  expect(dataOf(await directory.adminOk('POST', `${batch}/revert`))).toMatchObject({ reverted: 3, kept: [] });
});

longTest('an import stops between rows when it is cancelled, and its batch can be reverted', async () => {
  const word = unique('cancelled');
  const unused = await announce(directory, 10);
  expect(await asAdmin('POST', `${IMPORTS}/${unused.id}/cancel`)).toMatchObject(success({ state: 'cancelled' }));
  expect(await asAdmin('POST', `${IMPORTS}/${unused.id}/cancel`)).toMatchObject(INVALID_TRANSITION);

  const id = await uploadFile(directory, Buffer.from(csv(header, ...rowsFor(word, 1500))));
  await startImport(directory, id, columns);
  await directory.server.until(async () => expect((await readImport(directory, id)).rows_done).toBeGreaterThan(0));
  const cancelled = dataOf<Import>(await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`));
  expect(cancelled).toMatchObject({ state: 'running', cancel_requested_at: TIME, finished_at: null });
  const stopped = await importIn(directory, id, 'cancelled');
  expect(stopped).toMatchObject({ finished_at: TIME });
  const batch = `${BATCHES}/${cancelled.batch_id}`;
  await directory.server.until(async () =>
    expect(await asAdmin('GET', batch)).toMatchObject(success({ state: 'cancelled' })),
  );
  // What is cancelled counts no rows any more.
  expect(await readImport(directory, id)).toEqual(stopped);
  const { counts, rows_done } = await readImport(directory, id);
  expect(counts).toEqual({ ...noCounts, created: rows_done });
  // At most the chunk that was being written, and one that had begun.
  expect(rows_done - cancelled.rows_done).toBeLessThanOrEqual(500);
  expect(rows_done).toBeLessThan(1500);
  expect(dataOf<Batch>(await asAdmin('GET', batch)).counts).toEqual(counts);
});

longTest('an import matches rows by URL, and is cancelled after a dry run with what that would have done', async () => {
  const word = unique('matched');
  const { id: known } = await directory.live(directory.admin);
  const { url } = await directory.read(known);
  const [other = []] = rowsFor(word, 1);
  const existing = header.map((column, at) => (column === 'url' ? url : (other[at] ?? '')));
  expect(existing).toContain(url);
  const id = await uploadFile(directory, Buffer.from(csv(header, other, existing)));
  await startImport(directory, id, { columns, match_by: 'url' }, '?dry_run=true');
  const { dry_run } = await importIn(directory, id, 'uploaded');
  expect(dry_run?.items.map(({ outcome, project }) => [outcome, project?.id])).toEqual([
    ['created', undefined],
    ['skipped', known],
  ]);
  expect(dataOf<Import>(await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`))).toMatchObject({
    state: 'cancelled',
    dry_run,
  });
});

it('an import fails and writes nothing for more rows than allowed', async () => {
  const id = await uploadFile(directory, Buffer.from(`name\n${'a\n'.repeat(IMPORT_ROWS_MAX + 1)}`));
  await startImport(directory, id, {
    columns: { name: 'name' },
    defaults: { url: 'https://a.example', description: 'd' },
  });
  expect(await importIn(directory, id, 'failed')).toMatchObject({
    batch_id: null,
    rows_done: 0,
    error: expect.stringMatching(/more than 200000 rows/),
  });
});

it('an import is refused when it is announced too large, or without a header', async () => {
  const tooLarge = await asAdmin('POST', IMPORTS, { filename: 'some.csv', bytes: IMPORT_BYTES_MAX + 1 });
  expect(tooLarge).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  const id = await uploadFile(directory, Buffer.from(',,\n1,2,3\n'));
  expect(await asAdmin('POST', `${IMPORTS}/${id}/start`, { mapping: { name: 'name' } })).toMatchObject(
    invalidAt('file'),
  );
});

it('only the service reads and deletes files, and there is one bucket', async () => {
  const file = Buffer.from('name,url\nA,https://a.example/\n');
  const { id, upload } = await announce(directory, file.length);
  const other = upload.url.replace('/uploads/', '/other/');
  expect(await sendUpload({ ...upload, url: other }, upload.headers, file)).toMatchObject({ status: 404 });
  expect(await sendUpload(upload, upload.headers, file)).toMatchObject({ status: 200 });
  const forged =
    'AWS4-HMAC-SHA256 Credential=local/20261124/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const path = new URL(upload.url).pathname;
  for (const method of ['GET', 'DELETE']) {
    for (const headers of [{}, { authorization: forged }, { authorization: forged, 'x-amz-date': date }]) {
      const sent = { headers: { ...headers, range: 'bytes=0-3' } };
      expect(await directory.server.call(method, path, sent)).toMatchObject({ status: 403 });
    }
  }
  const part = await readFilePart(id, 0, 4);
  expect(Buffer.from(part?.bytes ?? []).toString()).toBe('name');
});

const asFile = (text: string): Buffer => Buffer.from(text);
const fields = { Name: 'name', Site: 'url', Text: 'description', Category: 'categories' };

longTest('a file with inches in every row is imported whole', async () => {
  const rows = Array.from({ length: 400 }, (_, n) => `Pipe ${n} 5" steel,https://pipe${n}.example/,d,x`);
  const file = `Name,Site,Text,Category\n${rows.join('\n')}\n`;
  const mapping = { columns: fields, create_categories: true, dry_run: true };
  const id = await uploadFile(directory, asFile(file));
  await startImport(directory, id, mapping);
  await directory.server.until(async () => expect((await readImport(directory, id)).dry_run).not.toBeNull());
  expect((await readImport(directory, id)).dry_run?.counts).toEqual({ ...noCounts, created: 400 });
  await asAdmin('POST', `${IMPORTS}/${id}/cancel`);
});

longTest('an import fails when its file cannot be read to its end, large or not, and writes nothing', async () => {
  const file = `Name,Site,Text\nOne,https://one.example,d\n${'x'.repeat(2_200_000)}`;
  const named = { Name: 'name', Site: 'url', Text: 'description' };
  const id = await uploadFile(directory, asFile(file));
  await startImport(directory, id, { columns: named });
  const failed = await importIn(directory, id, 'failed');
  expect(failed).toMatchObject({ batch_id: null, counts: noCounts });
  expect(failed.error).toContain('nothing after it can be read');
  const direct = await sendImport(directory.server, directory.admin.token, file, { columns: named });
  expect(direct).toMatchObject(invalidAt('file'));
});

it('a file with too many columns is refused in preview, start and import', async () => {
  const wide = ['Name', 'Site', 'Text', ...Array.from({ length: 198 }, (_, n) => `c${n}`)];
  const file = csv(wide, wide);
  const named = { Name: 'name', Site: 'url', Text: 'description' };
  const id = await uploadFile(directory, asFile(file));
  expect(await asAdmin('GET', `${IMPORTS}/${id}/preview`)).toMatchObject(invalidAt('file'));
  expect(await asAdmin('POST', `${IMPORTS}/${id}/start`, { mapping: { columns: named } })).toMatchObject(
    invalidAt('file'),
  );
  await asAdmin('POST', `${IMPORTS}/${id}/cancel`);
  const direct = await sendImport(directory.server, directory.admin.token, file, { columns: named });
  expect(direct).toMatchObject(invalidAt('file'));
});

longTest('a field that every listing needs must have a column or a default, which may name columns', async () => {
  const name = unique('Brewery');
  const file = csv(['Name', 'Site', 'type', 'city'], [name, 'https://brew.example', 'micro', "'=Bend"]);
  const named = { Name: 'name', Site: 'url' };
  const id = await uploadFile(directory, asFile(file));
  const defaults = { categories: ['{type}'], description: '{type} in {city}, USA' };
  for (const query of ['', '?dry_run=true']) {
    const refused = await asAdmin('POST', `${IMPORTS}/${id}/start${query}`, { mapping: { columns: named } });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { mapping: { columns: { _errors: ['description: no column and no default'] } } } },
    });
    const unknown = { columns: named, defaults: { ...defaults, description: '{kind} in {city}' } };
    expect(await asAdmin('POST', `${IMPORTS}/${id}/start${query}`, { mapping: unknown })).toMatchObject({
      status: 400,
      body: {
        details: { mapping: { defaults: { description: { _errors: ['"kind" is not a column of the file'] } } } },
      },
    });
  }
  const mapping = { columns: named, defaults, create_categories: true };
  await startImport(directory, id, mapping, '?dry_run=true');
  await directory.server.until(async () => expect((await readImport(directory, id)).dry_run).not.toBeNull());
  expect((await readImport(directory, id)).dry_run?.counts).toEqual({ ...noCounts, created: 1 });
  await startImport(directory, id, mapping);
  const { batch_id } = await importIn(directory, id, 'done');
  const [item] = dataOf<BatchItem[]>(await directory.adminOk('GET', `${BATCHES}/${batch_id}/items`));
  expect(dataOf(await directory.get(`/api/projects/${item?.project?.id}`))).toMatchObject({
    name,
    description: 'micro in =Bend, USA',
    categories: ['micro'],
  });
  // An import in one request explains each of its rows.
  const other = file.replace(name, unique('Other')).replace('brew', 'brew1');
  expect(await sendImport(directory.server, directory.admin.token, other, { columns: named })).toMatchObject(
    success({ failed: 1, errors: [{ row: 2, message: 'description: is required' }] }),
  );
  const direct = {
    columns: named,
    defaults: { ...defaults, description: 'A {type} brewery' },
    dry_run: true,
    match_by: 'url',
  };
  expect(
    await sendImport(directory.server, directory.admin.token, file.replace('brew', 'brew2'), direct),
  ).toMatchObject(success({ created: 1 }));
});

longTest('an API key imports content only, as pending listings, and reverts only imports of its own', async () => {
  const key = asPerson(await createKey(directory.server, directory.admin, ['imports:write']));
  const outOfScope = { status: 403, body: { error: 'Forbidden', code: 'SCOPE' } };
  const file = csv(
    ['Name', 'Site', 'Text', 'Category', 'State'],
    [unique('Of a key'), 'https://k.example', 'd', 'x', ''],
  );
  for (const more of [
    { columns: { ...fields, State: 'status' } },
    { columns: fields, defaults: { plan: 'premium' } },
  ]) {
    expect(await sendImport(directory.server, key.token, file, more)).toMatchObject(outOfScope);
  }
  const id = await uploadFile(directory, asFile(file));
  const start = (mapping: object) => directory.as(key, 'POST', `${IMPORTS}/${id}/start`, { mapping });
  expect(await start({ columns: fields, defaults: { owner_id: 'usr_other' } })).toMatchObject(outOfScope);
  expect(await start({ columns: fields, create_categories: true })).toMatchObject({ status: 202 });
  const { batch_id } = await importIn(directory, id, 'done');
  const [item] = dataOf<BatchItem[]>(await directory.adminOk('GET', `${BATCHES}/${batch_id}/items`));
  expect(dataOf(await directory.adminOk('GET', `/api/projects/${item?.project?.id}`))).toMatchObject({
    status: 'pending',
    published_at: null,
    owner_id: key.id,
  });
  const other = asPerson(await createKey(directory.server, directory.admin, ['imports:write']));
  const revert = (who: typeof key) => directory.as(who, 'POST', `${BATCHES}/${batch_id}/revert`);
  expect(await revert(other)).toMatchObject(outOfScope);
  expect(await revert(key)).toMatchObject(success({ reverted: 1 }));
});

it('a large import files its rows under a category whose name every object has as a member', async () => {
  const name = 'Constructor';
  const { slug } = await directory.addCategory({ name, slug: 'constructor' });
  const rows = Array.from({ length: 3 }, () => [unique('Built'), `https://${unique('built')}.example`, 'Text.', name]);
  const id = await uploadFile(directory, Buffer.from(csv(['name', 'url', 'description', 'categories'], ...rows)));
  const mapping = Object.fromEntries(['name', 'url', 'description', 'categories'].map((field) => [field, field]));
  await startImport(directory, id, mapping, '?dry_run=true');
  expect(await importIn(directory, id, 'uploaded')).toMatchObject({ dry_run: { counts: { created: 3, failed: 0 } } });
  await startImport(directory, id, mapping);
  const done = await importIn(directory, id, 'done');
  expect(done).toMatchObject({ rows_done: 3, counts: { created: 3, failed: 0 } });
  const items = dataOf<BatchItem[]>(await directory.adminOk('GET', `${BATCHES}/${done.batch_id}/items`));
  for (const { project } of items) {
    expect(await directory.read(project?.id ?? '', directory.admin)).toMatchObject({ categories: [slug] });
  }
});
