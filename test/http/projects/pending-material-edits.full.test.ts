import { expect, it } from 'vitest';
import { conflict, dataOf, person, type SeenProject, unique, versionOf } from '#test/support/fixtures.ts';
import { recordedAndStored, revisionsOf } from '#test/support/revisions.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { directory } = await ownDirectory({ env: { LIVE_EDITS: 'review_material', DUPLICATE_URLS: 'reject' } });
const owner = await person(directory.server);

it('with LIVE_EDITS=review_material only an edit of what readers rely on is pending, and the rest is published at once', async () => {
  expect((await directory.get('/api/settings')).body).toMatchObject({
    data: { limits: { live_edits: 'review_material' } },
  });
  const { id } = await directory.live(owner);
  const path = `/api/projects/${id}`;
  const { slug: category } = await directory.addCategory();
  const material = {
    name: 'Second',
    url: 'https://second.example/',
    slug: unique('second'),
    logo_url: 'https://second.example/logo.png',
    categories: [category],
  };
  const version = versionOf(await directory.get(path)) as number;
  const response = await directory.ok(owner, 'PUT', path, { ...material, description: 'New.', tags: ['new'] });
  expect(versionOf(response)).toBe(version + 1);
  const project = dataOf<SeenProject>(response);
  expect(project).toMatchObject({
    description: 'New.',
    tags: ['new'],
    name: expect.not.stringMatching('Second') as string,
  });
  const waiting = Object.fromEntries(project.pending_revision?.changes.map(({ field, after }) => [field, after]) ?? []);
  expect(waiting).toEqual(material);
  const [first, second] = await revisionsOf(directory, id);
  expect([first, second].map((one) => one?.state).toSorted()).toEqual(['applied', 'pending']);
  const { recorded, stored } = recordedAndStored(await revisionsOf(directory, id), await directory.read(id));
  expect(recorded).toEqual(stored);
  // An edit of what does not wait leaves the waiting one as it is.
  expect(dataOf<SeenProject>(await directory.ok(owner, 'PUT', path, { description: 'Newer.' }))).toMatchObject({
    description: 'Newer.',
    pending_revision: project.pending_revision,
  });
});

it('an edit of a further field is published at once', async () => {
  const { key } = dataOf<{ key: string }>(
    await directory.adminOk('POST', '/api/admin/fields', { key: 'subtitle', label: 'Subtitle', type: 'text' }, 201),
  );
  const { id } = await directory.live(owner);
  const edited = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { fields: { [key]: 'New' } });
  expect(dataOf(edited)).toMatchObject({ fields: { [key]: 'New' }, pending_revision: null });
});

it('a pending edit is not approved when another project has its URL by then', async () => {
  const { id } = await directory.live(owner);
  const url = `https://${unique('wanted')}.example/`;
  const edited = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { url });
  const revision = dataOf<SeenProject>(edited).pending_revision?.id;
  await directory.live(owner, { url });
  const path = `/api/admin/projects/${id}/revisions/${revision}`;
  expect(await directory.asAdmin('POST', `${path}/approve`, {})).toMatchObject(conflict('DUPLICATE_URL'));
  expect((await revisionsOf(directory, id))[0]).toMatchObject({ id: revision, state: 'pending' });
});
