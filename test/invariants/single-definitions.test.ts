import { expect, it } from 'vitest';
import { errorCodes, statusOf } from '#shared/errors.ts';
import { filesIn, importsOf, linesWith, read } from './sources.ts';

/** Code that may occur in one module only, or in none. */

const code = filesIn('shared/**/*.ts', 'functions/**/*.ts');
const allFiles = [
  ...code,
  ...filesIn('lib/**/*.ts', 'bin/**/*.ts', 'local/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'),
];
const except = (files: readonly string[], ...excluded: readonly string[]) =>
  files.filter((file) => !excluded.includes(file));

/** The modules that send commands to the table; all others use them. */
const SENDERS = [
  'shared/data/read.ts',
  'shared/data/write.ts',
  'shared/data/users.ts',
  'shared/data/api-keys.ts',
  'shared/data/rate-counter.ts',
  'shared/data/jobs.ts',
];

it('a single module builds table keys: shared/data/keys.ts', () => {
  const built = linesWith(
    except([...code, ...filesIn('lib/**/*.ts', 'bin/**/*.ts', 'local/**/*.ts')], 'shared/data/keys.ts'),
    /['"`](?:[^'"`]*[^\w'"`])?[A-Z][A-Z_]*#/,
  );
  expect(built).toEqual([]);
});

it('a single module per purpose sends commands to the table: SENDERS', () => {
  const senders = code.filter(
    (file) =>
      importsOf(file).some(({ from, typeOnly }) => !typeOnly && /^@aws-sdk\/(?:client|lib)-dynamodb$/.test(from)) &&
      /new \w+Command\(/.test(read(file)),
  );
  expect(senders.filter((file) => !SENDERS.includes(file))).toEqual([]);
});

it('a single module contains the status numbers of failures: shared/errors.ts', () => {
  const numbers = [...new Set(errorCodes.map(statusOf))].join('|');
  const files = except(code, 'shared/errors.ts');
  expect(
    linesWith(files, new RegExp(`status\\w*['"]?\\s*\\)?\\s*(?:[:=]|[=!]==?|\\?\\?|[<>]=?)\\s*(?:${numbers})\\b`, 'i')),
  ).toEqual([]);
});

it('a single module reads the environment: shared/platform', () => {
  expect(
    linesWith(
      code.filter((file) => !file.startsWith('shared/platform/')),
      /process\.env/,
    ),
  ).toEqual([]);
});

it('a single module writes to the log: shared/platform/log.ts', () => {
  expect(linesWith(code, /\bconsole\.\w+\(/)).toEqual([]);
});

it('a single module formats amounts of money: shared/contract/money.ts', () => {
  const files = filesIn('{shared,functions,site,console,local,lib,scripts}/**/*.{ts,tsx}');
  expect(linesWith(except(files, 'shared/contract/money.ts'), /\bstyle: ['"`]currency|\bcurrencyDisplay\b/)).toEqual(
    [],
  );
});

it('no module spreads an error over the members of a log line: it is the member `error`', () => {
  expect(linesWith(except(code, 'shared/platform/log.ts'), /\.\.\.loggable\(|\berror_(?:name|code|stack)\b/)).toEqual(
    [],
  );
});

it('no module scans the table', () => {
  expect(linesWith(code, /\bScanCommand\b|\bpaginateScan\b|dynamodb:Scan/)).toEqual([]);
});

it("no module imports the named export of zod, which defeats tree shaking: `import * as z from 'zod'`", () => {
  const wrong = allFiles.filter((file) =>
    /^import\s+(?:type\s+)?(?!type\b)(?:\{|\w+\s*(?:,|from))[^;'"]*['"]zod['"]/m.test(read(file)),
  );
  expect(wrong).toEqual([]);
});

it('no module is a barrel', () => {
  expect(allFiles.filter((file) => file.endsWith('/index.ts'))).toEqual([]);
  expect(linesWith(code, /^\s*export\s+\*/)).toEqual([]);
});

it('no module suppresses compiler errors or contains open tasks', () => {
  const markers = new RegExp(
    ['@ts-', 'ignore|@ts-', 'nocheck|@ts-', 'expect-error|\\bTO', 'DO\\b|\\bFIX', 'ME\\b'].join(''),
  );
  expect(allFiles.filter((file) => markers.test(read(file)))).toEqual([]);
});
