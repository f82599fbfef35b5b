import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Observation, observeAll, type Usage } from './costs/observing.ts';
import { costPage, stageTable } from './costs/pages.ts';
import { stageOf } from './costs/standing.ts';

const HELP = `npm run costs [-- --prices | --check]

Asks each of the most used routes of a directory of its own what it consumes, and writes docs/observed-costs.json, docs/cost.md and
the table in docs/deploy.md. It takes about two minutes.
  --prices  asks nothing: writes the pages anew from what was observed, docs/prices.json and the templates of the stages
  --check   writes nothing, fails when a page is not what --prices would write
  --help    this text`;

const STAGES = ['sandbox', 'dev', 'staging', 'prod'];

const place = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
const OBSERVED = 'observed-costs.json';
const BEGIN = '<!-- written by npm run costs -->';
const END = '<!-- end -->';

type Kept = Omit<Observation, 'behind'> & { readonly behind: Readonly<Record<string, Usage>> };

const readObserved = (): Observation[] =>
  (JSON.parse(readFileSync(place(OBSERVED), 'utf8')) as Kept[]).map((kept) => ({
    ...kept,
    behind: new Map(Object.entries(kept.behind)),
  }));

const writeObserved = (observations: readonly Observation[]): void => {
  const kept = observations.map(({ behind, ...rest }): Kept => ({ ...rest, behind: Object.fromEntries(behind) }));
  writeFileSync(place(OBSERVED), `${JSON.stringify(kept, null, 2)}\n`);
};

/** A page with something else between its marks. @throws when it has none. */
const between = (page: string, text: string): string => {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/deploy.md needs the lines "${BEGIN}" and "${END}" for its table.`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
};

const pagesOf = (observations: readonly Observation[]): Record<string, string> => {
  const stages = STAGES.map(stageOf);
  return {
    'cost.md': costPage(stages, observations),
    'deploy.md': between(readFileSync(place('deploy.md'), 'utf8'), stageTable(stages, observations)),
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
    const known = existsSync(place(name)) ? readFileSync(place(name), 'utf8') : undefined;
    if (known === text) {
      console.log(`docs/${name} is current.`);
    } else if (values.check) {
      console.error(`docs/${name} is not current; run "npm run costs -- --prices" and look at the difference.`);
      process.exitCode = 1;
    } else {
      writeFileSync(place(name), text);
      console.log(`docs/${name} written.`);
    }
  }
  process.exit();
}
