import { afterAll, expect, it } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { idsOf, invalidAt, person } from '#test/support/fixtures.ts';
import { startProcess } from '#test/support/process.ts';
import { OWN_SECRETS, temporaryDataDir } from '#test/support/server.ts';
import { ownDirectory, ownTableProxy } from '#test/support/with-directory.ts';

/** Two processes on one table: what one of them stores about fields, the other shows. The other one takes the tokens of the first one's issuer. */

const { env } = await ownTableProxy();
const { server, directory } = await ownDirectory({ env });
const process = startProcess(temporaryDataDir(), { ...env, ...OWN_SECRETS, SAMPLE_DATA: 'off' });
const other = clientOf(await process.url());
afterAll(async () => {
  other.close();
  await process.end('SIGTERM');
});

const FIELDS = '/api/admin/fields';
const options = ['red', 'green'].map((value) => ({ value, label: value }));

it('a change of definitions is effective in every process', async () => {
  const owner = await person(server);
  await directory.adminOk(
    'POST',
    FIELDS,
    { key: 'color', label: 'Color', type: 'select', filterable: true, options },
    201,
  );
  const { id } = await directory.live(owner, { fields: { color: 'red' } });
  const fieldsThere = async () => (await other.call('GET', `/api/projects/${id}`)).body;
  const foundThere = () => other.call('GET', '/api/projects?filter[color]=red');
  const change = (method: string, body?: object) => directory.adminOk(method, `${FIELDS}/color`, body);
  await server.until(async () => expect(idsOf(await foundThere())).toEqual([id]));

  await change('PUT', { options: options.slice(1), label: 'Colour' });
  await server.until(async () => expect(await fieldsThere()).toMatchObject({ data: { fields: {} } }));
  await server.until(async () => expect(idsOf(await foundThere())).toEqual([]));
  await server.until(async () =>
    expect((await other.call('GET', '/api/fields')).body).toMatchObject({ data: [{ key: 'color', label: 'Colour' }] }),
  );
  await change('PUT', { options });
  await server.until(async () => expect(await fieldsThere()).toMatchObject({ data: { fields: { color: 'red' } } }));
  await server.until(async () => expect(idsOf(await foundThere())).toEqual([id]));
  await change('DELETE');
  await server.until(async () => expect(await fieldsThere()).toMatchObject({ data: { fields: {} } }));
  await server.until(async () => expect(await foundThere()).toMatchObject(invalidAt('filter', 'color')));
});
