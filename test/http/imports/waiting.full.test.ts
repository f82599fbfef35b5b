import { expect, it } from 'vitest';
import { WAITING_IMPORTS_MAX } from '#contract/imports.ts';
import { conflict } from '#test/support/fixtures.ts';
import { announce, IMPORTS } from '#test/support/imports.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { directory } = await ownDirectory();

it('as many imports wait as are allowed, until one is cancelled', async () => {
  const first = await announce(directory, 100);
  for (let count = 1; count < WAITING_IMPORTS_MAX; count += 1) await announce(directory, 100);
  const another = () => directory.asAdmin('POST', IMPORTS, { filename: 'one-more.csv', bytes: 100 });
  expect(await another()).toMatchObject(conflict('INVALID_TRANSITION'));
  await directory.adminOk('POST', `${IMPORTS}/${first.id}/cancel`);
  expect(await another()).toMatchObject({ status: 201 });
  expect(await another()).toMatchObject(conflict('INVALID_TRANSITION'));
});
