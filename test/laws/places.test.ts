import { describe, expect, it } from 'vitest';
import { errorCodes, statusOf } from '#shared/errors.ts';
import { filesIn, importsOf, linesWith, read } from './sources.ts';

/** Things that are written in one place only. */

const code = filesIn('shared/**/*.ts', 'functions/**/*.ts');
const everything = [
  ...code,
  ...filesIn('lib/**/*.ts', 'bin/**/*.ts', 'local/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'),
];
const except = (files: readonly string[], ...left: readonly string[]) => files.filter((file) => !left.includes(file));

/** Modules that send commands to the table; every other one goes through them. */
const SENDERS = [
  'shared/data/read.ts',
  'shared/data/write.ts',
  'shared/data/users.ts',
  'shared/data/rate-counter.ts',
  'shared/data/health.ts',
];

describe('one place', () => {
  it('spells keys: shared/data/keys.ts', () => {
    const spelled = linesWith(
      except([...code, ...filesIn('lib/**/*.ts', 'bin/**/*.ts', 'local/**/*.ts')], 'shared/data/keys.ts'),
      /['"`](?:[^'"`]*[^\w'"`])?[A-Z][A-Z_]*#/,
    );
    expect(spelled).toEqual([]);
  });

  it('sends commands to the table', () => {
    const senders = code.filter(
      (file) =>
        importsOf(file).some(({ from, typeOnly }) => !typeOnly && /^@aws-sdk\/(?:client|lib)-dynamodb$/.test(from)) &&
        /new \w+Command\(/.test(read(file)),
    );
    expect(senders.filter((file) => !SENDERS.includes(file))).toEqual([]);
  });

  it('scans the table nowhere', () => {
    expect(linesWith(code, /\bScanCommand\b|\bpaginateScan\b|dynamodb:Scan/)).toEqual([]);
  });

  it('has the status numbers of our failures: shared/errors.ts', () => {
    const numbers = [...new Set(errorCodes.map(statusOf))].join('|');
    const files = except(code, 'shared/errors.ts', 'shared/domain/webhooks/attempt.ts');
    expect(
      linesWith(
        files,
        new RegExp(`status\\w*['"]?\\s*\\)?\\s*(?:[:=]|[=!]==?|\\?\\?|[<>]=?)\\s*(?:${numbers})\\b`, 'i'),
      ),
    ).toEqual([]);
  });

  it('reads the environment: shared/platform', () => {
    expect(
      linesWith(
        code.filter((file) => !file.startsWith('shared/platform/')),
        /process\.env/,
      ),
    ).toEqual([]);
  });

  it('writes to the log: shared/platform/log.ts', () => {
    expect(linesWith(code, /\bconsole\.\w+\(/)).toEqual([]);
  });
});

describe('no place', () => {
  it("has the named export of zod, which cannot be shaken: `import * as z from 'zod'`", () => {
    const wrong = everything.filter((file) =>
      /^import\s+(?:type\s+)?(?!type\b)(?:\{|\w+\s*(?:,|from))[^;'"]*['"]zod['"]/m.test(read(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('has barrels', () => {
    expect(everything.filter((file) => file.endsWith('/index.ts'))).toEqual([]);
    expect(linesWith(code, /^\s*export\s+\*/)).toEqual([]);
  });

  it('switches the compiler off or leaves work for later', () => {
    const marks = new RegExp(
      ['@ts-', 'ignore|@ts-', 'nocheck|@ts-', 'expect-error|\\bTO', 'DO\\b|\\bFIX', 'ME\\b'].join(''),
    );
    expect(everything.filter((file) => marks.test(read(file)))).toEqual([]);
  });
});
