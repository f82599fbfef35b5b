import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchItem, ImportReport } from '#contract/batches.ts';
import type { Import, ImportPreview } from '#contract/imports.ts';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { IMPORTS, importIn, startImport, uploadFile } from '#test/support/imports.ts';
import { longTest } from '#test/support/long-test.ts';
import { readCsv, sendImport } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

// Files as people and spreadsheets write them.

const { directory } = await sharedDirectory();

const sameNames = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));
const columns = sameNames(['name', 'url', 'description']);
/** Rows match nothing by an id that they lack. */
const plain = { columns, match_by: 'id' };

interface Outcome {
  readonly counts: Pick<ImportReport, 'created' | 'updated' | 'skipped' | 'failed'>;
  readonly ignored: readonly string[];
  readonly batch: string;
}

const direct = async (file: string, mapping: object): Promise<Outcome> => {
  const sent = await sendImport(directory.server, directory.admin.token, file, mapping);
  const { created, updated, skipped, failed, ignored, batch_id } = dataOf<ImportReport>(sent);
  return { counts: { created, updated, skipped, failed }, ignored, batch: String(batch_id) };
};

const large = async (file: string, mapping: object): Promise<Outcome> => {
  const id = await uploadFile(directory, Buffer.from(file));
  await startImport(directory, id, mapping);
  const { counts, ignored, batch_id } = await importIn(directory, id, 'done');
  return { counts, ignored, batch: String(batch_id) };
};

const ways = [
  ['in one request', direct],
  ['large', large],
] as const;

interface Listing {
  readonly name: string;
  readonly url: string;
  readonly description: string;
}

const listingsOf = async (host: string): Promise<Listing[]> =>
  dataOf<Listing[]>(await directory.get(`/api/projects?q=${host}&limit=100&sort=oldest`)).filter(({ url }) =>
    url.includes(host),
  );

const errorsOf = async ({ batch }: Outcome): Promise<string[][]> =>
  readCsv(String((await directory.adminOk('GET', `/api/admin/batches/${batch}/errors.csv`)).body));

const none = { created: 0, updated: 0, skipped: 0, failed: 0 };

describe.each(ways)('an import %s', (_, run) => {
  it.each<readonly [string, (url: string) => string, string]>([
    ['without its last cells', (url) => `name,url,description,tags,logo_url\nA,${url},d`, 'A'],
    ['with blank cells too many', (url) => `name,url,description\nA,${url},d, ,,""`, 'A'],
    ['among records without text', (url) => `name,url,description\n,,\n , ,\n"",,\n\nA,${url},d\n,,,,,\n`, 'A'],
    ['with blanks around quotes', (url) => `name,url,description\n"Cafe Bar" ,${url}, "d"`, 'Cafe Bar'],
    ['with quotes inside a cell', (url) => `name,url,description\n5" pipe,${url},d`, '5" pipe'],
    ['behind a line with the separator', (url) => `sep=;\r\nname;url;description\r\nA, B;${url};d`, 'A, B'],
    ['behind a line with another separator', (url) => `"sep=|"\nname|url|description\n"A|B"|${url}|d`, 'A|B'],
    ['behind a byte order mark and the separator', (url) => `\ufeffsep=^\nname^url^description\nA^${url}^d`, 'A'],
    ['behind names with invisible characters', (url) => `\ufeffna\u200bme,url\u200e , description\nA,${url},d`, 'A'],
    ['behind trailing columns without a name', (url) => `name,url,description,,\nA,${url},d,,`, 'A'],
  ])('takes a record %s', async (_name, fileWith, name) => {
    const host = `${unique('host')}.example`;
    const { counts } = await run(fileWith(`https://${host}/`), plain);
    expect(counts).toEqual({ ...none, created: 1 });
    expect(await listingsOf(host)).toMatchObject([{ name, description: 'd' }]);
  });

  it('compares names of columns in NFC', async () => {
    const host = `${unique('host')}.example`;
    const file = `Nome\u0301,url,Größe\nA,https://${host}/,d`;
    const mapping = {
      ...plain,
      columns: { Nomé: 'name', url: 'url' },
      defaults: { description: 'Size {Gr\u00f6\u00dfe\u200b}, {Gro\u0308ße}' },
    };
    await run(file, mapping);
    expect(await listingsOf(host)).toMatchObject([{ name: 'A', description: 'Size d, d' }]);
  });

  it('takes columns that have the names of members of every object', async () => {
    const host = `${unique('host')}.example`;
    const file = `__proto__,constructor,toString\nA,https://${host}/,d`;
    const named = { ' __proto__': 'name', constructor: 'url', toString: 'description' };
    await run(file, { ...plain, columns: named });
    expect(await listingsOf(host)).toMatchObject([{ name: 'A', description: 'd' }]);
  });

  it('completes addresses of every script, and fails rows whose host is not whole', async () => {
    const host = `${unique('host')}.example`;
    const rows = [
      `A,${host}`,
      `B,उदाहरण.${host}/क`,
      `C,\u200bhttps://${host}/c\u200b`,
      `D,https://http://${host}`,
      `E,https://${host.replace('.example', '')}`,
      `F,https://exam\u00adple.${host}`,
      `G,https://.${host}`,
    ];
    const file = ['name,url', ...rows].join('\n');
    const report = await run(file, { ...plain, columns: sameNames(['name', 'url']), defaults: { description: 'd' } });
    expect(report.counts).toEqual({ ...none, created: 3, failed: 4 });
    expect((await listingsOf(host)).map(({ url }) => url)).toEqual([
      `https://${host}`,
      `https://उदाहरण.${host}/क`,
      `https://${host}/c`,
    ]);
    const [, ...failed] = await errorsOf(report);
    const whole = 'url: must have a whole host name such as example.com, or an IP address';
    expect(failed.map(([name, , message]) => [name, message])).toEqual([
      ['D', expect.stringContaining(whole)],
      ['E', expect.stringContaining(whole)],
      ['F', expect.stringContaining('url: must not have invisible characters such as U+00AD')],
      ['G', expect.stringContaining(whole)],
    ]);
  });

  it('fails rows with text beyond the last column or a wrong quote, and lists them with as many cells as the header', async () => {
    const host = `${unique('host')}.example`;
    const rows = [
      `A,https://${host}/a,one, two,more`,
      `B,https://${host}/b,d`,
      `"C" c,https://${host}/c,d`,
      `D,none`,
      `E,https://${host}/e,one, two`,
      `F,https://${host}/f,d,,,`,
    ];
    const report = await run(['name,url,description,', ...rows].join('\n'), plain);
    expect(report.counts).toEqual({ ...none, created: 2, failed: 4 });
    const [header, ...failed] = await errorsOf(report);
    expect(header).toEqual(['name', 'url', 'description', 'error', '', '']);
    expect(failed).toEqual([
      ['A', `https://${host}/a`, 'one', 'The row has 5 cells instead of 3.', 'two', 'more'],
      ['', '', '', 'The row has a misplaced quote.', '', ''],
      ['D', 'none', '', expect.stringContaining('description: is required'), '', ''],
      ['E', `https://${host}/e`, 'one', 'The row has 4 cells instead of 3.', 'two', ''],
    ]);
    expect((await listingsOf(host)).map(({ name }) => name)).toEqual(['B', 'F']);

    // What is not corrected fails again, and what is corrected has no trace of the error.
    const lines = [header ?? [], ...failed].map((cells) => cells.map((cell) => `"${cell}"`).join(','));
    const [names, first, , , last] = lines;
    const again = await run(
      [names, first, last?.replace('"one"', '"one, two"').replace(',"two",""', ',"",""')].join('\n'),
      plain,
    );
    expect(again.counts).toEqual({ ...none, created: 1, failed: 1 });
    expect(await errorsOf(again)).toEqual([
      ['name', 'url', 'description', 'error', '', ''],
      ['A', `https://${host}/a`, 'one', 'The row has 6 cells instead of 4.', 'two', 'more'],
    ]);
    expect((await listingsOf(host)).at(-1)).toMatchObject({ name: 'E', description: 'one, two' });
  });

  it('fails a row with more cells than an item of the table can hold alone', async () => {
    const host = `${unique('host')}.example`;
    const rows = [`A,https://${host}/a,d${','.repeat(300_000)}x`, `B,https://${host}/b,d`];
    const report = await run(['name,url,description', ...rows].join('\n'), plain);
    expect(report.counts).toEqual({ ...none, created: 1, failed: 1 });
    const [header, failed] = await errorsOf(report);
    expect(header?.length).toBe(failed?.length);
    expect(failed?.slice(0, 4)).toEqual(['A', `https://${host}/a`, 'd', 'The row has 300003 cells instead of 3.']);
  });

  it('reads times and places in the notations of other products', async () => {
    const host = `${unique('host')}.example`;
    const file = [
      'name;url;description;created_at;place',
      `A;https://${host}/a;d;2024-05-01 10:20:30+0200;48,8566° N, 2,3522° W`,
      `B;https://${host}/b;d;2024-05-01 10:20;`,
      `C;https://${host}/c;d;2024-05-01;north of here`,
      `D;https://${host}/d;d;01.05.2024;91, 2`,
    ].join('\n');
    const report = await run(file, {
      ...plain,
      columns: { ...columns, created_at: 'created_at', place: 'coordinates' },
    });
    expect(report.counts).toEqual({ ...none, created: 2, failed: 2 });
    expect(await listingsOf(host)).toMatchObject([
      { name: 'A', created_at: '2024-05-01T08:20:30.000Z', latitude: 48.8566, longitude: -2.3522 },
      { name: 'B', created_at: '2024-05-01T10:20:00.000Z', latitude: null, longitude: null },
    ]);
    const errors = (await errorsOf(report)).slice(1).map((cells) => cells.at(-1));
    expect(errors).toEqual([
      'latitude: must be a number; longitude: must be a number',
      expect.stringMatching(/^latitude: must be at most 90; created_at: must be an ISO 8601 time/),
    ]);
  });

  it('takes the text of cells with HTML', async () => {
    const host = `${unique('host')}.example`;
    const file = [
      'name,url,description,tags',
      `A &amp; B,https://${host}/?a=1&amp;b=2,"<p>One <b>two</b></p>\n<p>1 &lt; 2<br>three</p>",Food &amp; drink|<i>bar</i>`,
      `C,https://${host}/c,<img src=x>,`,
    ].join('\n');
    const mapping = { ...plain, columns: { ...columns, tags: 'tags' }, text: 'html' };
    const report = await run(file, mapping);
    expect(report.counts).toEqual({ ...none, created: 1, failed: 1 });
    expect(await listingsOf(host)).toMatchObject([
      {
        name: 'A & B',
        url: `https://${host}/?a=1&b=2`,
        description: 'One two\n\n1 < 2\nthree',
        tags: ['Food & drink', 'bar'],
      },
    ]);
    // Failed rows are as they came.
    expect((await errorsOf(report)).at(-1)).toEqual([
      ...['C', `https://${host}/c`, '<img src=x>', '', 'description: is required'],
    ]);
    const rawHost = `${unique('raw')}.example`;
    const raw = await run(`name,url,description\nA &amp; B,https://${rawHost}/,<b>x</b>`, plain);
    expect(raw.counts).toEqual({ ...none, created: 1 });
    expect(await listingsOf(rawHost)).toMatchObject([{ name: 'A &amp; B', description: '<b>x</b>' }]);
  });

  it('keeps the fields of blank cells, or empties them', async () => {
    const word = unique('blank');
    const url = `https://${word}.example/`;
    const fields = ['logo_url', 'video_url', 'long_description', 'address_city', 'tags', 'categories', 'published_at'];
    const all = ['slug', ...Object.keys(columns), 'pricing_type', ...fields, 'place'];
    const named = { ...sameNames(all), place: 'coordinates' };
    const { category } = directory;
    const full = `${word},A,${url},d,paid,${url}a.png,${url}a.mp4,Long.,Bern,one|two,${category},2024-05-01,"1, 2"`;
    const blank = `${word},,,,,,,,,,,,`;
    const of = (row: string) => `${all.join(',')}\n${row}`;
    const update = { columns: named, on_conflict: 'update' };
    expect((await run(of(full), update)).counts).toEqual({ ...none, created: 1 });
    const given = await directory.read(word, directory.admin);
    expect(given).toMatchObject({ address_city: 'Bern', tags: ['one', 'two'], latitude: 1, categories: [category] });
    expect((await run(of(blank), update)).counts).toEqual({ ...none, updated: 1 });
    expect(await directory.read(word, directory.admin)).toEqual(given);

    // A default says what a blank cell means.
    const clear = { ...update, blank: 'clear', defaults: { address_city: 'Basel' } };
    expect((await run(of(blank), clear)).counts).toEqual({ ...none, updated: 1 });
    expect(await directory.read(word, directory.admin)).toMatchObject({
      ...{ name: 'A', url, description: 'd', pricing_type: 'paid', status: 'live', address_city: 'Basel' },
      ...{ logo_url: null, video_url: null, long_description: null, tags: [], categories: [] },
      ...{ latitude: null, longitude: null, published_at: given.published_at },
    });
    // A new listing has no fields to empty.
    const other = { ...clear, match_by: 'id', columns: { ...sameNames(all.slice(1)), place: 'coordinates' } };
    const sparse = `${all.slice(1).join(',')}\n${unique('A')},${url},d,,,,,,,,,`;
    expect((await run(sparse, other)).counts).toEqual({ ...none, created: 1 });
  });

  it('names the columns that set nothing', async () => {
    const file = 'name,url,description,Votes,average_rating\nA,none,d,7,4.5';
    const counters = { Votes: 'upvote_count', average_rating: 'average_rating' };
    const { ignored } = await run(file, { ...plain, columns: { ...columns, ...counters } });
    expect(ignored).toEqual(['Votes', 'average_rating']);
    expect((await run(file, plain)).ignored).toEqual([]);
  });
});

it('records without text are no rows, and count in the numbers of the others', async () => {
  const file = 'name,url,description\n,,\nA,none,d\n\n,,,\nB,none,d\n,,\n';
  const errors = [
    { row: 3, column: 'url', message: 'url: must be an http or https address' },
    { row: 5, column: 'url', message: 'url: must be an http or https address' },
  ];
  const sent = await sendImport(directory.server, directory.admin.token, file, plain);
  expect(dataOf<ImportReport>(sent)).toMatchObject({ rows: 2, failed: 2, errors });
  const id = await uploadFile(directory, Buffer.from(file));
  await startImport(directory, id, plain);
  const { batch_id } = await importIn(directory, id, 'done');
  expect(await importIn(directory, id, 'done')).toMatchObject({ rows_total: 2, rows_done: 2, counts: { failed: 2 } });
  const items = dataOf<BatchItem[]>(await directory.adminOk('GET', `/api/admin/batches/${batch_id}/items`));
  expect(items.map(({ row }) => row)).toEqual([3, 5]);
});

it('a column __proto__ is taken from a mapping in a form, and is named in the error for a JSON body', async () => {
  const host = `${unique('host')}.example`;
  const file = `__proto__,url,description\n${unique('A')},https://${host}/,d`;
  const named = '{"__proto__":"name","url":"url","description":"description"}';
  for (const mapping of [named, `{"columns":${named.replace('name', 'nam')}}`, `{"columns":${named}}`]) {
    const { status } = await sendImport(directory.server, directory.admin.token, file, mapping);
    expect([mapping, status]).toEqual([mapping, mapping.includes('"nam"') ? 400 : 200]);
  }
  expect(await listingsOf(host)).toHaveLength(1);
  const id = await uploadFile(directory, Buffer.from(file));
  expect(await directory.asAdmin('POST', `${IMPORTS}/${id}/start`, JSON.parse(`{"mapping":${named}}`))).toMatchObject({
    status: 400,
    body: { code: 'INVALID_INPUT', details: { _errors: ['The body has a member "__proto__", which is not allowed.'] } },
  });
  await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
});

it('a byte order mark before the parts of a form is ignored', async () => {
  const mapping = `\ufeff${JSON.stringify({ ...plain, dry_run: false })}`;
  const sent = await sendImport(
    directory.server,
    directory.admin.token,
    `name,url,description\n${unique('A')},https://${unique('host')}.example/,d`,
    mapping,
    { parts: { dry_run: '\ufefftrue' } },
  );
  expect(dataOf<ImportReport>(sent)).toMatchObject({ dry_run: true, created: 1, errors: [] });
});

it('the preview proposes the counters of an export and names them, as do a dry run and the result', async () => {
  const counters = ['upvote_count', 'average_rating', 'ratings_count', 'comments_count', 'views_count'];
  const exported = String((await directory.adminOk('GET', '/api/admin/projects/export')).body);
  const [header = ''] = exported.split('\r\n');
  const url = `https://${unique('host')}.example/`;
  const record = readCsv(header)[0]?.map((name) => ({ name: 'A', url, description: 'd' })[name] ?? '');
  const file = `${header}\r\n${record?.join(',')}`;
  const id = await uploadFile(directory, Buffer.from(file));
  const preview = dataOf<ImportPreview>(await directory.adminOk('GET', `${IMPORTS}/${id}/preview`));
  expect(preview.ignored).toEqual(counters);
  expect(Object.keys(preview.mapping.columns)).toEqual(expect.arrayContaining(counters));
  for (const query of ['?dry_run=true', '']) {
    const started = await startImport(directory, id, preview.mapping, query);
    expect(started.ignored).toEqual(counters);
    await importIn(directory, id, query === '' ? 'done' : 'uploaded');
  }
  expect(dataOf<Import>(await directory.adminOk('GET', `${IMPORTS}/${id}`)).ignored).toEqual(counters);
  const planned = await sendImport(directory.server, directory.admin.token, file, preview.mapping, {
    query: '?dry_run=true',
  });
  expect(dataOf<ImportReport>(planned).ignored).toEqual(counters);
});

it('the preview proposes HTML where cells hold it, and shows their text or the cells', async () => {
  const previewOf = async (file: string, query = ''): Promise<ImportPreview> => {
    const id = await uploadFile(directory, Buffer.from(file));
    const preview = dataOf<ImportPreview>(await directory.adminOk('GET', `${IMPORTS}/${id}/preview${query}`));
    await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
    return preview;
  };
  const file = 'Name,Description\nA &amp; B,<p>Text</p>';
  expect(await previewOf(file)).toMatchObject({ mapping: { text: 'html' }, rows: [['A & B', 'Text']] });
  expect(await previewOf(file, '?text=plain')).toMatchObject({
    mapping: { text: 'plain' },
    rows: [['A &amp; B', '<p>Text</p>']],
  });
  expect(await previewOf('Name\nA & B < C')).toMatchObject({ mapping: { text: 'plain' }, rows: [['A & B < C']] });
});

it('the preview shows the columns and rows that an import takes', async () => {
  const file = '\ufeffsep=|\nName\u200b| Website ||\n|||\n"A" | b.example |\n| c.example | | \n';
  const id = await uploadFile(directory, Buffer.from(file));
  expect(dataOf(await directory.adminOk('GET', `${IMPORTS}/${id}/preview`))).toMatchObject({
    header: ['Name', 'Website'],
    separator: '|',
    mapping: { columns: { Name: 'name', Website: 'url' } },
    rows: [
      ['A', 'b.example'],
      ['', 'c.example'],
    ],
  });
  await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
});

longTest(
  'a file that a spreadsheet writes is imported as it is shown, whatever blanks and cells it adds or leaves out',
  async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'B', '"', ',', ';', '\n', 'ü', '面'),
      minLength: 1,
      maxLength: 8,
    });
    const blank = fc.constantFrom('', ' ', '  ');
    const record = fc.record({
      text: cell,
      before: blank,
      after: blank,
      extra: fc.nat({ max: 3 }),
      isLong: fc.boolean(),
    });
    const fields = ['name', 'url', 'description', 'tags', 'logo_url'];
    const file = fc.record({
      separator: fc.constantFrom(',', ';', '\t', '|'),
      isNamed: fc.boolean(),
      records: fc.array(fc.option(record), { minLength: 1, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ separator, isNamed, records }) => {
        const host = `${unique('host')}.example`;
        const lines = records.map((one, n) => {
          if (one === null) return separator.repeat(n % 5);
          const text = `${one.before}"${`x${one.text}x`.replaceAll('"', '""')}"${one.after}`;
          const cells = [`N${n}`, `https://${host}/${n}`, text, ...(one.isLong ? ['tag', ''] : [])];
          return [...cells, ...Array.from({ length: one.extra }, () => '')].join(separator);
        });
        const first = isNamed || separator === '|' ? [`sep=${separator}`] : [];
        const header = fields.join(separator);
        const { counts } = await direct([...first, header, ...lines].join('\r\n'), {
          ...plain,
          columns: sameNames(fields),
        });
        const given = records.flatMap((one, n) =>
          one === null ? [] : [{ name: `N${n}`, description: `x${one.text}x` }],
        );
        expect(counts).toEqual({ ...none, created: given.length });
        expect(await listingsOf(host)).toMatchObject(given);
      }),
      { seed: 1, numRuns: 40 },
    );
  },
);
