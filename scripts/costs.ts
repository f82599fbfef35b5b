import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { costDoc, stageTable } from './costs/cost-doc.ts';
import { stageOf } from './costs/fixed-costs.ts';
import { type Observation, observeAll, type Usage } from './costs/load-observer.ts';

const HELP = `npm run costs [-- --prices | --check]

Measures what requests to the most used routes consume on a local server, and writes docs/observed-costs.json, docs/cost.md
and the table in docs/deploy.md. Takes about two minutes.
  --prices  measures nothing; writes the pages from docs/observed-costs.json, docs/prices.json and the stages' templates
  --check   writes nothing; fails when a page differs from what --prices would write
  --help    prints this text`;

const STAGES = ['sandbox', 'dev', 'staging', 'prod'];

const docsFile = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
const OBSERVED = 'observed-costs.json';
const BEGIN = '<!-- written by npm run costs -->';
const END = '<!-- end -->';

type StoredObservation = Omit<Observation, 'behind'> & { readonly behind: Readonly<Record<string, Usage>> };

const readObserved = (): Observation[] =>
  (JSON.parse(readFileSync(docsFile(OBSERVED), 'utf8')) as StoredObservation[]).map((stored) => ({
    ...stored,
    behind: new Map(Object.entries(stored.behind)),
  }));

const writeObserved = (observations: readonly Observation[]): void => {
  const stored = observations.map(
    ({ behind, ...rest }): StoredObservation => ({ ...rest, behind: Object.fromEntries(behind) }),
  );
  writeFileSync(docsFile(OBSERVED), `${JSON.stringify(stored, null, 2)}\n`);
};

/** Replaces the text between the markers. @throws {Error} when they are missing. */
const replaceBetweenMarkers = (page: string, text: string): string => {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from)
    throw new Error(`docs/deploy.md must contain the lines "${BEGIN}" and "${END}" around its table.`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
};

const pagesOf = (observations: readonly Observation[]): Record<string, string> => {
  const stages = STAGES.map(stageOf);
  return {
    'cost.md': costDoc(stages, observations),
    'deploy.md': replaceBetweenMarkers(readFileSync(docsFile('deploy.md'), 'utf8'), stageTable(stages, observations)),
  };
};

const { values } = parseArgs({
  options: { prices: { type: 'boolean' }, check: { type: 'boolean' }, help: { type: 'boolean' } },
});

if (values.help) {
  console.log(HELP);
} else {
  if (!values.prices && !values.check) writeObserved(await observeAll(console.log));
  for (const [name, text] of Object.entries(pagesOf(readObserved()))) {
    const known = existsSync(docsFile(name)) ? readFileSync(docsFile(name), 'utf8') : undefined;
    if (known === text) {
      console.log(`docs/${name} is up to date.`);
    } else if (values.check) {
      console.error(`docs/${name} is outdated. Run "npm run costs -- --prices" and review the diff.`);
      process.exitCode = 1;
    } else {
      writeFileSync(docsFile(name), text);
      console.log(`docs/${name} written.`);
    }
  }
  process.exit();
}
