import { afterAll, beforeAll, expect, it } from 'vitest';
import { importDoor } from '#local/doors.ts';
import { Directory, dataOf, person } from '#test/support/fixtures.ts';
import { csv, imported } from '#test/support/uploads.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What an import finds under the id of a project that was removed for good, while nobody has tidied up after it yet. */

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({
    importDoor: async (id) => (id === 'projects.finishPurge' ? async () => undefined : await importDoor(id)),
  });
});

afterAll(async () => {
  await world.stop();
});

it('brings the project back without the reactions to the one before', async () => {
  const directory = await Directory.open(world);
  const owner = await person(world);
  const { id } = await directory.live(owner);
  expect(await directory.as(owner, 'POST', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
  expect(await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Gone.' })).toMatchObject({
    status: 201,
  });
  await directory.done('DELETE', `/api/admin/projects/${id}`);

  const columns = ['id', 'name', 'url', 'description', 'status'];
  const file = csv(columns, [id, 'Back again', 'https://back.example.com/', 'As before.', 'live']);
  const report = await imported(
    world,
    directory.admin.token,
    file,
    Object.fromEntries(columns.map((one) => [one, one])),
  );
  expect(report).toMatchObject({ created: 1 });

  const project = await directory.read(id, owner);
  expect(project).toMatchObject({ name: 'Back again', viewer: { upvoted: false } });
  expect(dataOf<unknown[]>(await directory.get(`/api/projects/${id}/comments`))).toEqual([]);
});
