import { expect, it } from 'vitest';
import { slugKey } from '#data/keys.ts';
import { putItem } from '#data/write.ts';
import { newMessage, sourceOf } from '#events/catalogue.ts';
import { newId } from '#platform/ids.ts';
import { invalidAt, NOT_FOUND, person, submission, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const owner = await person(directory.server);

it('the task after a purge frees the slug that a concurrent rename has claimed', async () => {
  const slug = unique('claimed');
  const project_id = newId('prj');
  await putItem({ ...slugKey(slug), type: 'slug', project_id });
  const detail = newMessage('projectPurged', null, { project_id, slugs: [slug] });
  server.server.bus.publish({ source: sourceOf('projectPurged'), kind: 'projectPurged', detail });
  await directory.server.until(async () => {
    const { status } = await directory.as(
      owner,
      'POST',
      '/api/projects',
      submission({ categories: [directory.category], slug }),
    );
    return status === 201;
  });
});

longTest('the new slug of a project is free after a rename that races with a purge', async () => {
  const slugs = Array.from({ length: 20 }, () => unique('moved'));
  await Promise.all(
    slugs.map(async (slug) => {
      const { id } = await directory.submit(owner);
      await Promise.all([
        directory.as(owner, 'PUT', `/api/projects/${id}`, { slug }),
        directory.adminOk('DELETE', `/api/admin/projects/${id}`),
      ]);
      expect(await directory.get(`/api/projects/${id}`, directory.admin)).toMatchObject(NOT_FOUND);
    }),
  );
  const submitted = await Promise.all(slugs.map((slug) => directory.submit(owner, { slug })));
  expect(submitted.map(({ slug }) => slug)).toEqual(slugs);
});

longTest('a project keeps at most twenty earlier slugs, and a further one is rejected with 400', async () => {
  const { id, slug: first } = await directory.submit(owner);
  const rename = (slug: string) => directory.as(owner, 'PUT', `/api/projects/${id}`, { slug });
  const slugs = Array.from({ length: 20 }, () => unique('renamed'));
  for (const slug of slugs) expect(await rename(slug)).toMatchObject({ status: 200 });
  expect(await rename(unique('renamed'))).toMatchObject(invalidAt('slug'));
  // Returning to an earlier slug adds none.
  expect(await rename(first)).toMatchObject({ status: 200 });
});
