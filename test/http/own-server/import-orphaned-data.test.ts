import { afterAll, beforeAll, expect, it } from 'vitest';
import { importHandler } from '#local/handlers.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { csv, importFile } from '#test/support/uploads.ts';

/** Imports a project whose id belonged to a purged project, before the background deletion of its data has run. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    importHandler: async (id) => (id === 'projects.finishPurge' ? async () => undefined : await importHandler(id)),
  });
});

afterAll(async () => {
  await server.stop();
});

it('creates the project without the reactions to the purged one', async () => {
  const directory = await Directory.create(server);
  const owner = await person(server);
  const { id } = await directory.live(owner);
  expect(await directory.as(owner, 'POST', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
  expect(await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Gone.' })).toMatchObject({
    status: 201,
  });
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);

  const columns = ['id', 'name', 'url', 'description', 'status'];
  const file = csv(columns, [id, 'Back again', 'https://back.example.com/', 'As before.', 'live']);
  const report = await importFile(
    server,
    directory.admin.token,
    file,
    Object.fromEntries(columns.map((one) => [one, one])),
  );
  expect(report).toMatchObject({ created: 1 });

  const project = await directory.read(id, owner);
  expect(project).toMatchObject({ name: 'Back again', viewer: { upvoted: false } });
  expect(dataOf<unknown[]>(await directory.get(`/api/projects/${id}/comments`))).toEqual([]);
});
