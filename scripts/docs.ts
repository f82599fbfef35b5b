import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { routes } from '#contract/table.ts';
import { openapi } from '#shared/openapi.ts';
import manifest from '../package.json' with { type: 'json' };
import { eventsPage } from './events-docs.ts';

const HELP = `npm run docs [-- --check]

Writes what is generated under docs/: openapi.json, from the table of routes, and events.md, from the schemas of events.
  --check   write nothing, fail when a file is not what would be written
  --help    this text`;

const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });

/** Every generated file with its text. */
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
    if (isCurrent) console.log(`${file} is current.`);
    else if (values.check) {
      console.error(`${file} is not current; run "npm run docs" and look at the difference.`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
      console.log(`${file} written.`);
    }
  }
}
