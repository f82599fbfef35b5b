import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import type { Import, ImportPreview } from '#contract/imports.ts';
import { charactersOf, encode } from '#test/support/encode.ts';
import { dataOf, invalidAt, unique } from '#test/support/fixtures.ts';
import { IMPORTS, importIn, readImport, startImport, uploadFile } from '#test/support/imports.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, sendImport } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { directory } = await sharedDirectory();

const header = ['name', 'url', 'description'];
const columns = Object.fromEntries(header.map((field) => [field, field]));
const rowOf = (name: string, description = 'Text.') => [name, `https://${unique('host')}.example/`, description];

const descriptionOf = async (name: string): Promise<unknown> => {
  const found = dataOf<{ name: string; description: string }[]>(
    await directory.get(`/api/projects?q=${encodeURIComponent(name)}`),
  );
  return found.find((one) => one.name === name)?.description;
};

/** Imports a file in one request, and as a large import. Each of them has a file of its own, with the word. */
const bothWays = async (fileOf: (word: string) => Uint8Array<ArrayBuffer>, mapping: object) => {
  const [direct, large] = [unique('direct'), unique('large')];
  const report = await sendImport(directory.server, directory.admin.token, fileOf(direct), mapping);
  expect(dataOf<ImportReport>(report)).toMatchObject({ created: 1, failed: 0 });
  const id = await uploadFile(directory, fileOf(large));
  await startImport(directory, id, mapping);
  expect(await importIn(directory, id, 'done')).toMatchObject({ counts: { created: 1, failed: 0 } });
  return [direct, large];
};

const texts: readonly (readonly [string, string])[] = [
  ['utf-8', 'Кафе 東京 Café'],
  ['utf-16', 'Кафе 東京 Café'],
  ['utf-16be', 'Кафе 東京 Café'],
  ['windows-1251', 'Уютное кафе'],
  ['windows-1252', '€ 5 – “Café”'],
  ['macintosh', 'déjeuner à l’hôtel'],
  ['Shift_JIS', '静かな喫茶店です'],
  ['gb18030', '安静的咖啡馆'],
  ['latin2', 'Żółta Łódź'],
];

it.each(texts)('a file in %s is imported as it is, both ways', async (encoding, text) => {
  const canonical = new TextDecoder(encoding).encoding;
  const fileOf = (word: string) => encode(csv(header, rowOf(word, text)), canonical);
  for (const name of await bothWays(fileOf, { columns, encoding })) expect(await descriptionOf(name)).toBe(text);
});

it.each([
  ['utf-8', 'utf-8'],
  ['utf-16le', 'utf-16'],
  ['utf-16be', undefined],
  ['utf-8', 'windows-1251'],
])('a byte order mark of %s tells the encoding beside the name %s, both ways', async (marked, encoding) => {
  const fileOf = (word: string) => encode(`\ufeff${csv(header, rowOf(word, 'Кафе Café'))}`, marked);
  const mapping = { columns, ...(encoding && { encoding }) };
  for (const name of await bothWays(fileOf, mapping)) expect(await descriptionOf(name)).toBe('Кафе Café');
});

longTest.each(['windows-1251', 'windows-1257', 'koi8-u', 'macintosh', 'shift_jis', 'big5', 'euc-kr'])(
  'any text in %s is imported as it is',
  async (encoding) => {
    const letters = charactersOf(encoding).filter((character) => /[\p{L}\p{N}\p{P}]/u.test(character));
    // Without the marks that begin a formula in a spreadsheet, and what the service folds in texts.
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 30 }).map((one) => `x${one}x`);
    const given = fc.sample(text, { numRuns: 40, seed: 5 });
    const word = unique('any');
    const rows = given.map((description, n) => rowOf(`${word} ${n}`, description));
    const file = encode(csv(header, ...rows), encoding);
    const report = await sendImport(directory.server, directory.admin.token, file, { columns, encoding });
    expect(dataOf<ImportReport>(report)).toMatchObject({ created: given.length, failed: 0 });
    const found = await directory.adminOk('GET', `/api/projects?q=${word}&limit=100`);
    const stored = new Map(
      dataOf<{ name: string; description: string }[]>(found).map(({ name, description }) => [name, description]),
    );
    for (const [n, description] of given.entries()) expect(stored.get(`${word} ${n}`)).toBe(description);
  },
);

const bad = { utf8: [0xe9], windows: [0xc3, 0xfc], lead: [0xc3] };

it.each([
  ['the header', (word: string) => csv(['name', 'url', 'description', `${word}§`]), 1],
  ['the second record', (word: string) => csv(header, rowOf(word), rowOf(`${word}§`)), 3],
  ['a later line of a record', (word: string) => csv(header, rowOf(word), rowOf(`${word}\nb\n§`)), 3],
  ['the end', (word: string) => `${csv(header, rowOf(word))},§`, 2],
  [
    'record 2503',
    (word: string) => csv(header, ...Array.from({ length: 2502 }, (_, n) => rowOf(`${word}${n === 2501 ? '§' : n}`))),
    2503,
  ],
])('bytes that do not fit are an error that names the row, and nothing is written: %s', async (_, textOf, row) => {
  const word = unique('wrong');
  for (const bytes of Object.values(bad)) {
    const [before = '', after = ''] = textOf(word).split('§');
    const file = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const message = `cannot be read. Row ${row} is not in the encoding utf-8. Name the encoding of the file in the mapping, or save it as "CSV UTF-8".`;
    const expected = { ...invalidAt('file'), body: { details: { file: { _errors: [message] } } } };
    expect(await sendImport(directory.server, directory.admin.token, file, { columns })).toMatchObject(expected);
    const id = await uploadFile(directory, file);
    const start = (mapping: object, query = '') =>
      directory.asAdmin('POST', `${IMPORTS}/${id}/start${query}`, { mapping });
    expect(await start({ columns })).toMatchObject(expected);
    expect(await start({ columns }, '?dry_run=true')).toMatchObject(expected);
    expect(await readImport(directory, id)).toMatchObject({ state: 'uploaded', batch_id: null });
    await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
  }
  const found = await directory.adminOk('GET', `/api/projects?q=${word}`);
  expect(dataOf(found)).toEqual([]);
});

it('bytes that do not fit after the beginning of a file end the import before its first row', async () => {
  const word = unique('later');
  const rows = Array.from({ length: 1500 }, (_, n) => [`${word} ${n}`, 'https://a.example/', 'd'.repeat(900)]);
  const text = Buffer.from(csv(header, ...rows));
  expect(text.length).toBeGreaterThan(1_200_000);
  const file = Buffer.concat([text, Buffer.from('\r\n"'), Buffer.from([0xe9]), Buffer.from('","b","c"')]);
  const id = await uploadFile(directory, file);
  await startImport(directory, id, { columns });
  const ended: Import = await importIn(directory, id, 'failed');
  expect(ended).toMatchObject({ rows_done: 0, batch_id: null });
  expect(ended.error).toContain('Row 1502 is not in the encoding utf-8.');
  expect(dataOf(await directory.adminOk('GET', `/api/projects?q=${word}`))).toEqual([]);
});

it('a file that is sent as a field without a name has the same bytes', async () => {
  const [name, text] = [unique('field'), 'Уютное кафе'];
  const file = encode(csv(header, rowOf(name, text)), 'windows-1251');
  const send = (encoding?: string) => {
    const boundary = 'b0undary';
    const part = (field: string, content: Buffer) =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n`),
        content,
        Buffer.from('\r\n'),
      ]);
    const mapping = Buffer.from(JSON.stringify({ columns, ...(encoding && { encoding }) }));
    return directory.server.call('POST', '/api/admin/projects/import', {
      token: directory.admin.token,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      rawBody: Buffer.concat([part('file', file), part('mapping', mapping), Buffer.from(`--${boundary}--\r\n`)]),
    });
  };
  expect(await send()).toMatchObject(invalidAt('file'));
  expect(dataOf<ImportReport>(await send('windows-1251'))).toMatchObject({ created: 1, failed: 0 });
  expect(await descriptionOf(name)).toBe(text);
});

it.each([
  ['before them', (word: string) => `5" pipe,https://${word}.example/,x`, [0xe9], 80],
  ['that opens a cell before them', (word: string) => `"5 inch,https://${word}.example/,x`, [0xe9], 80],
])('a quote that is not closed %s does not change the row of bytes that do not fit', async (_, loose, bytes, row) => {
  const word = unique('quote');
  const lines = Array.from({ length: 100 }, (_one, n) => `${word} ${n},https://${word}-${n}.example/,x`);
  lines[3] = loose(word);
  const text = Buffer.from([header.join(','), ...lines].join('\n').replace(`${word} 78,`, '§,'));
  const at = text.indexOf('§');
  const file = Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at + 2)]);
  const refused = await sendImport(directory.server, directory.admin.token, file, { columns });
  expect(JSON.stringify(refused.body)).toContain(`Row ${row} is not in the encoding utf-8.`);
});

longTest('a row may be as long in UTF-16 as in UTF-8', async () => {
  const word = unique('long');
  for (const encoding of ['utf-8', 'utf-16le']) {
    const rows = [
      rowOf(`${word} ${encoding}`),
      rowOf(`${word} long`, 'd'.repeat(600_000)),
      rowOf(`${word} ${encoding} 2`),
    ];
    const file = encode(`\ufeff${csv(header, ...rows)}`, encoding);
    const id = await uploadFile(directory, file);
    await startImport(directory, id, { columns });
    expect(await importIn(directory, id, 'done')).toMatchObject({ counts: { created: 2, failed: 1 } });
  }
});

it('a file whose first line does not end is refused by the start and the preview', async () => {
  const id = await uploadFile(directory, Buffer.from(`a${'é'.repeat(800_000)}`));
  for (const path of [`${IMPORTS}/${id}/start`, `${IMPORTS}/${id}/preview`]) {
    const method = path.endsWith('start') ? 'POST' : 'GET';
    const refused = await directory.asAdmin(method, path, method === 'POST' ? { mapping: { columns } } : undefined);
    expect(refused).toMatchObject(invalidAt('file'));
    expect(JSON.stringify(refused.body)).toContain('has no line break within its first 1048576 bytes');
  }
  await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
});

it('an unknown encoding is 400 in the mapping of both ways and in the preview', async () => {
  const file = Buffer.from(csv(header, rowOf(unique('unknown'))));
  const id = await uploadFile(directory, file);
  for (const encoding of ['', 'utf-9', 'replacement', 'constructor', 'x'.repeat(50), 7, null]) {
    const mapping = { columns, encoding };
    const refused = invalidAt('mapping', 'encoding');
    expect(await sendImport(directory.server, directory.admin.token, file, mapping)).toMatchObject(refused);
    expect(await directory.asAdmin('POST', `${IMPORTS}/${id}/start`, { mapping })).toMatchObject(refused);
    // Without a value it counts as absent.
    if (typeof encoding !== 'string' || encoding === '') continue;
    const asked = `${IMPORTS}/${id}/preview?encoding=${encoding}`;
    expect(await directory.asAdmin('GET', asked)).toMatchObject(invalidAt('encoding'));
  }
  await directory.adminOk('POST', `${IMPORTS}/${id}/cancel`);
});

it('the preview proposes an encoding, and shows the rows in another one', async () => {
  const row = rowOf(unique('shown'), 'Уютное кафе у реки, свежая выпечка каждый день.');
  const id = await uploadFile(directory, encode(csv(header, row), 'windows-1251'));
  const previewIn = async (query: string): Promise<ImportPreview> =>
    dataOf(await directory.adminOk('GET', `${IMPORTS}/${id}/preview${query}`));
  const proposed = await previewIn('');
  expect(proposed).toMatchObject({ encoding: 'windows-1251', mapping: { encoding: 'windows-1251' }, rows: [row] });
  const bytes = encode(String(row[2]), 'windows-1251');
  for (const encoding of ['koi8-r', 'windows-1252', 'utf-8']) {
    const shown = new TextDecoder(encoding).decode(bytes);
    expect(await previewIn(`?encoding=${encoding}`)).toMatchObject({ encoding, rows: [[row[0], row[1], shown]] });
  }
  await startImport(directory, id, { ...proposed.mapping, columns });
  expect(await importIn(directory, id, 'done')).toMatchObject({ counts: { created: 1 } });
  expect(await descriptionOf(String(row[0]))).toBe(row[2]);
});
