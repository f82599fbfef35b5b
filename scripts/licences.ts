import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { licenceList, licencesOf, type Manifests } from './licences/production.ts';

const HELP = `node scripts/licences.ts [--fix]

Checks the licences of everything that a production install brings, also by way of other packages: each must be one that asks
for no more than to be named, and NOTICE.md must list it. A step of npm run check.
  --fix     writes the list in NOTICE.md
  --help    this text`;

const BEGIN = '<!-- The list of production packages: npm run check -- --fix writes it. -->';
const END = '<!-- The end of the list. -->';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(at(path), 'utf8'));

const lock = readJson('package-lock.json') as Manifests;

/** What an installed package says itself; undefined where it is not installed, such as a build for another platform. */
const installedLicence = (path: string): string | undefined => {
  try {
    return (readJson(`${path}/package.json`) as { license?: string }).license;
  } catch {
    return undefined;
  }
};

const { values } = parseArgs({ options: { fix: { type: 'boolean' }, help: { type: 'boolean' } } });

const check = (): void => {
  const { packages, complaints } = licencesOf(lock, installedLicence);
  const notice = readFileSync(at('NOTICE.md'), 'utf8');
  const [begin, end] = [notice.indexOf(BEGIN), notice.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`NOTICE.md has lost the lines around its list: ${BEGIN} … ${END}`);
  const wanted = `${notice.slice(0, begin)}${BEGIN}\n\n${licenceList(packages)}\n\n${notice.slice(end)}`;
  if (wanted !== notice) {
    if (values.fix) writeFileSync(at('NOTICE.md'), wanted);
    else complaints.push('NOTICE.md does not list what there is; npm run check -- --fix mends that.');
  }
  for (const complaint of complaints) console.error(complaint);
  console.log(`${packages.length} production packages, ${complaints.length} complaints.`);
  if (complaints.length > 0) process.exitCode = 1;
};

if (values.help) console.log(HELP);
else check();
