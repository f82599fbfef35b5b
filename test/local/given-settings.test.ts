import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { portOf, readArguments, readEnvFile } from '#local/given-settings.ts';
import { StartupError } from '#local/startup-error.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** The arguments of a start, and its file `.env`. */

const npm = (folder: string) => ({ npm_lifecycle_event: 'start', INIT_CWD: folder });

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as Error).message;
  }
  throw new Error('There is no error.');
};

it('arguments set variables; relative paths begin where the command was run', () => {
  expect(readArguments([], {})).toEqual({ isHelp: false, variables: {} });
  expect(readArguments(['--port', '4000'], {}).variables).toEqual({ PORT: '4000' });
  expect(readArguments(['--port=0', '--data=/srv/a'], {}).variables).toEqual({
    PORT: '0',
    DATA_DIR: path.resolve('/srv/a'),
  });
  expect(readArguments(['--host', '0.0.0.0'], {}).variables).toEqual({ HOST: '0.0.0.0' });
  expect(readArguments(['--data', 'a/b'], npm('/home/ada')).variables).toEqual({
    DATA_DIR: path.resolve('/home/ada/a/b'),
  });
  expect(readArguments(['--data', 'a'], { INIT_CWD: '/elsewhere' }).variables).toEqual({ DATA_DIR: path.resolve('a') });
  for (const help of ['--help', '-h']) expect(readArguments([help], {}).isHelp).toBe(true);
});

it.each([
  [['--prot', '4000'], "Unknown option '--prot'"],
  [['-p', '4000'], "Unknown option '-p'"],
  [['4000'], "Unexpected argument '4000'"],
  [['start', '--port', '1'], "Unexpected argument 'start'"],
  [['--port'], "Option '--port <value>' argument missing"],
  [['--port', '--data', 'x'], "Option '--port' argument is ambiguous"],
  [['--help=yes'], "Option '-h, --help' does not take an argument"],
  [['--data='], 'The argument --data is empty'],
  [['--port='], 'The argument --port is empty'],
] as const)('the start refuses the arguments %o', (args, sentence) => {
  expect(messageOf(() => readArguments(args, {}))).toBe(`${sentence}. \`npm start -- --help\` lists the arguments.`);
});

it.each(['http', '-1', '65536', '1.5', '0x10', '1e3', '3000x', ' 80'])('%s is no port', (value) => {
  const rest = `is ${value}. It must be a number from 0 to 65535.`;
  expect(messageOf(() => portOf(value))).toBe(`PORT ${rest}`);
  expect(messageOf(() => readArguments([`--port=${value}`], {}))).toBe(`--port ${rest}`);
});

it('the port is 3000 unless it is set', () => {
  expect([undefined, '', '0', '80', '65535'].map((value) => portOf(value))).toEqual([3000, 3000, 0, 80, 65_535]);
});

it('arguments that npm takes for itself end the start, because it would ignore them', () => {
  for (const name of ['port', 'host', 'data']) {
    expect(messageOf(() => readArguments([], { ...npm('/'), [`npm_config_${name}`]: 'x' }))).toBe(
      `npm took --${name} as an option of its own. Write \`npm start -- --${name} …\`.`,
    );
  }
  // Started without npm, the variable is another program's.
  expect(readArguments([], { npm_config_port: '4000' }).variables).toEqual({});
});

/** What a file sets in the folder of a command. */
const settingsOf = (content: string | Uint8Array, environment: Record<string, string> = {}) => {
  const folder = temporaryDataDir();
  writeFileSync(path.join(folder, '.env'), content);
  return readEnvFile({ ...npm(folder), ...environment })?.variables;
};

it('the file .env sets variables that the environment does not have', () => {
  const text = [
    '# Settings',
    '',
    'PORT=4000',
    '  export SITE_NAME="Tools, and more"  # shown in mails',
    "ADMIN_EMAILS = 'ada@example.com'",
    'CRON_SECRET= # none',
    'STRIPE_WEBHOOK_SECRET= \t',
    '# say ="',
    'LIVE_EDITS=review # the "material" ones',
    'SITE_URL="https://a.example/#b"',
    'MAIL_FROM="One',
    'two',
    'three"',
    'FEATURE_MAP=',
    'of.another-program=1',
  ];
  const expected = {
    PORT: '4000',
    SITE_NAME: 'Tools, and more',
    ADMIN_EMAILS: 'ada@example.com',
    CRON_SECRET: '',
    STRIPE_WEBHOOK_SECRET: '',
    LIVE_EDITS: 'review',
    SITE_URL: 'https://a.example/#b',
    MAIL_FROM: 'One\ntwo\nthree',
    FEATURE_MAP: '',
    'of.another-program': '1',
  };
  expect(settingsOf(text.join('\n'))).toEqual(expected);
  expect(settingsOf(`\ufeff${text.slice(2, 7).join('\r\n')}\r\n`)).toEqual({
    PORT: '4000',
    SITE_NAME: 'Tools, and more',
    ADMIN_EMAILS: 'ada@example.com',
    CRON_SECRET: '',
    STRIPE_WEBHOOK_SECRET: '',
  });
  // An empty variable of the environment is one.
  expect(settingsOf('PORT=4000\nSITE_NAME=x\nLOG_LEVEL=INFO', { PORT: '', SITE_NAME: 'y' })).toEqual({
    LOG_LEVEL: 'INFO',
  });
});

it.each([
  ['PORT: 4000', 1],
  ['PORT=1\n\nSITE_NAME', 3],
  ['A="b\nc"\nSECRET hunter2', 3],
  ['A B=1', 1],
  ['=1', 1],
  ['A="unclosed\nB="x"', 2],
  ['# say ="\nBROKEN\nB="x"', 2],
] as const)('a line that sets nothing ends the start, without the line: %j', (content, line) => {
  expect(messageOf(() => settingsOf(content))).toMatch(
    new RegExp(`^Line ${line} of .*\\.env is not of the form NAME=value\\.$`),
  );
});

it.each(['CRON_SECRET=abc#def', 'CRON_SECRET=#abc', 'A=1\nCRON_SECRET=a b#c # d'])(
  'a value that a # would cut ends the start: %j',
  (content) => {
    const line = content.split('\n').length;
    expect(messageOf(() => settingsOf(content))).toMatch(
      new RegExp(`^Line ${line} of .*\\.env has a # in a value, which needs quotes\\.$`),
    );
  },
);

it('a file of another encoding ends the start', () => {
  expect(messageOf(() => settingsOf(Buffer.from('\ufeffPORT=4000', 'utf16le')))).toMatch(
    /^The settings in .*\.env cannot be read: .*utf-8\.$/,
  );
});

it('a file that cannot be read ends the start', () => {
  const folder = temporaryDataDir();
  symlinkSync('.env', path.join(folder, '.env'));
  expect(messageOf(() => readEnvFile(npm(folder)))).toMatch(/^The settings in .*\.env cannot be read: ELOOP/);
});

it('a folder without the file, or with a folder of its name, has no settings', () => {
  const folder = temporaryDataDir();
  expect(readEnvFile(npm(folder))).toBeUndefined();
  mkdirSync(path.join(folder, '.env'));
  expect(readEnvFile(npm(folder))).toBeUndefined();
  expect(readEnvFile(npm(path.join(folder, 'missing')))).toBeUndefined();
});
