import { expect, it } from 'vitest';
import { importHandler } from '#local/handlers.ts';
import { Directory, dataOf, person, unique } from '#test/support/fixtures.ts';
import { importIn, startImport, uploadFile } from '#test/support/imports.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Imports a project whose id belonged to a purged project, before the background deletion of its data has run. */

const server = await ownServer({
  importHandler: async (id) => (id === 'projects.finishPurge' ? async () => undefined : await importHandler(id)),
});

const names = ['id', 'name', 'url', 'description', 'status'];
const columns = Object.fromEntries(names.map((one) => [one, one]));

it.each([
  [
    'an import in a request',
    async (directory: Directory, file: string) => await importFile(server, directory.admin.token, file, columns),
  ],
  [
    'a large import',
    async (directory: Directory, file: string) => {
      const id = await uploadFile(directory, Buffer.from(file));
      await startImport(directory, id, { columns });
      return (await importIn(directory, id, 'done')).counts;
    },
  ],
])('%s under the id of a purged project creates it without the reactions to the purged one', async (_, runImport) => {
  const directory = await Directory.create(server);
  const owner = await person(server);
  const { id } = await directory.live(owner);
  await directory.ok(owner, 'POST', `/api/projects/${id}/upvote`);
  await directory.ok(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Gone.' }, 201);
  await directory.ok(await person(server), 'POST', `/api/projects/${id}/report`, { reason: 'spam' }, 201);
  const claimant = await person(server);
  await directory.ok(claimant, 'POST', `/api/projects/${id}/claims`, { method: 'manual' }, 201);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);

  const name = unique('Back again');
  const file = csv(names, [id, name, `https://back-${id}.example.com/`, 'As before.', 'live']);
  expect(await runImport(directory, file)).toMatchObject({ created: 1 });

  expect(await directory.read(id, owner)).toMatchObject({ name, viewer: { upvoted: false } });
  expect(dataOf<unknown[]>(await directory.get(`/api/projects/${id}/comments`))).toEqual([]);
  const reports = dataOf<{ project_id: string }[]>(
    await directory.get('/api/admin/reports?limit=100', directory.admin),
  );
  expect(reports.filter(({ project_id }) => project_id === id)).toEqual([]);
  expect(dataOf<unknown[]>(await directory.get('/api/me/claims', claimant))).toEqual([]);
});
