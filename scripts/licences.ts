import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type LockFile, licenceList, licencesOf } from './licences/production.ts';

const HELP = `node scripts/licences.ts [--fix]

Checks the licences of all production packages, transitive ones included: each must be permissive and listed in NOTICE.md. A
step of npm run check.
  --fix     writes the list in NOTICE.md
  --help    prints this text`;

const BEGIN = '<!-- The list of production packages: npm run check -- --fix writes it. -->';
const END = '<!-- The end of the list. -->';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(at(path), 'utf8'));

const lock = readJson('package-lock.json') as LockFile;

/** The licence in an installed package's manifest; undefined for builds that are not installed on this platform. */
const installedLicence = (path: string): string | undefined => {
  try {
    return (readJson(`${path}/package.json`) as { license?: string }).license;
  } catch {
    return undefined;
  }
};

const { values } = parseArgs({ options: { fix: { type: 'boolean' }, help: { type: 'boolean' } } });

const check = (): void => {
  const { packages, problems } = licencesOf(lock, installedLicence);
  const notice = readFileSync(at('NOTICE.md'), 'utf8');
  const [begin, end] = [notice.indexOf(BEGIN), notice.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`NOTICE.md must contain the lines around its list: ${BEGIN} … ${END}`);
  const wanted = `${notice.slice(0, begin)}${BEGIN}\n\n${licenceList(packages)}\n\n${notice.slice(end)}`;
  if (wanted !== notice) {
    if (values.fix) writeFileSync(at('NOTICE.md'), wanted);
    else problems.push('The package list in NOTICE.md is outdated. Run npm run check -- --fix.');
  }
  for (const problem of problems) console.error(problem);
  console.log(`${packages.length} production packages, ${problems.length} problems.`);
  if (problems.length > 0) process.exitCode = 1;
};

if (values.help) console.log(HELP);
else check();
