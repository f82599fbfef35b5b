import { features } from '#contract/route.ts';
import { run } from './run.ts';
import { inWords, requireTemporaryFolder, runSelected } from './tests.ts';

const HELP = `npm test [-- <arguments of vitest>]
npm test -- --without <feature> [<arguments of vitest>]

Runs the steps of npm run check, then the daily tests. It also fails when a function calls AWS without the permission.
With --without a feature (${features.join(', ')}), the tests over HTTP run while it is
switched off, without the check. Tests that use it, by the table of routes, are skipped; the others must pass.
  npm test -- test/openapi        the tests in a folder, or in files with this name
  npm test -- test/http -t slug   of these, the tests whose name contains this text
  npm run test:full               the long proofs; see npm run test:full -- --help
  --help                          this text`;

const given = process.argv.slice(2);
if (given.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

requireTemporaryFolder();
// The invariants are among the tests, so the check need not run them too.
const isChecked = given.includes('--without') || (await run('check', ['--skip', 'invariants'], { show: true })).ok;
const totals = await runSelected(['--project=shared', '--project=separate', '--project=console', ...given]);
if (!isChecked) {
  console.log('\nThe check failed; see above.');
  totals.failed += 1;
}
const why = given.includes('--without') ? 'they use the feature, or are long' : 'npm run test:full runs the long tests';
console.log(`\n${inWords(totals)}${totals.skipped === 0 ? '' : `; ${why}`}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
