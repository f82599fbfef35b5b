import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { routes } from '#contract/table.ts';
import { openapi } from '#shared/openapi.ts';
import manifest from '../package.json' with { type: 'json' };
import { eventsPage } from './events-docs.ts';

const HELP = `npm run docs [-- --check]

Generates docs/openapi.json from the route table and docs/events.md from the event schemas.
  --check   writes nothing; fails when a file is outdated
  --help    prints this text`;

const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });

/** The content of each generated file. */
const generated = (): Record<string, string> => ({
  'docs/openapi.json': `${JSON.stringify(openapi(routes, { version: manifest.version }), null, 2)}\n`,
  'docs/events.md': eventsPage(),
});

const read = (path: URL): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

if (values.help) {
  console.log(HELP);
} else {
  for (const [file, text] of Object.entries(generated())) {
    const path = new URL(`../${file}`, import.meta.url);
    const isCurrent = read(path) === text;
    if (isCurrent) console.log(`${file} is up to date.`);
    else if (values.check) {
      console.error(`${file} is outdated. Run "npm run docs" and review the diff.`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
      console.log(`${file} written.`);
    }
  }
}
