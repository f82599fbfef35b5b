import { freshConsole, watchConsole } from '#lib/console.ts';

const HELP = `npm run console:dev

Runs the service like npm start, builds the console again after each change in console/, and reloads open pages.
  --help  prints this text`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

await freshConsole();
await watchConsole(() => console.log('The console was built.'));
await import('#local/main.ts');
