import { expect, it } from 'vitest';
import type { SavedReply } from '#contract/saved-replies.ts';
import { dataOf, idOf, NOT_FOUND, success, unique } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { directory } = await sharedDirectory();

const REPLIES = '/api/admin/replies';

const asAdmin = (method: string, path: string, body?: unknown) => directory.asAdmin(method, path, body);

const create = async (name: string, text = 'Thank you.'): Promise<SavedReply> =>
  dataOf(await directory.adminOk('POST', REPLIES, { name, text }, 201));

it('saved replies are listed by name, changed partially and deleted', async () => {
  const word = unique('reply');
  const second = await create(`${word} é`, '  Sorry, {{name}}.\r\nTry again.\n');
  const [third, first] = [await create(`${word} F`), await create(`${word} e`)];
  expect(second).toEqual({ id: idOf('rpl'), name: `${word} é`, text: 'Sorry, {{name}}.\nTry again.' });
  const listed = async () =>
    dataOf<SavedReply[]>(await asAdmin('GET', REPLIES)).filter(({ name }) => name.startsWith(word));
  expect(await listed()).toEqual([first, second, third]);

  const changed = { ...second, text: 'No.' };
  expect(await asAdmin('PUT', `${REPLIES}/${second.id}`, { text: 'No.' })).toMatchObject(success(changed));
  expect((await asAdmin('PUT', `${REPLIES}/${second.id}`, {})).body).toEqual({ data: changed });
  expect((await asAdmin('DELETE', `${REPLIES}/${first.id}`)).body).toEqual({ data: { id: first.id, deleted: true } });
  expect(await listed()).toEqual([changed, third]);
  for (const [method, body] of [['PUT', { name: 'x' }], ['DELETE']] as const)
    expect(await asAdmin(method, `${REPLIES}/${first.id}`, body)).toMatchObject(NOT_FOUND);
});

it('concurrent changes of a saved reply are both kept', async () => {
  const { id } = await create(unique('reply'));
  const bodies = [{ name: 'Both' }, { text: 'Both.' }];
  await Promise.all(bodies.map((body) => asAdmin('PUT', `${REPLIES}/${id}`, body)));
  expect((await asAdmin('PUT', `${REPLIES}/${id}`, {})).body).toEqual({ data: { id, name: 'Both', text: 'Both.' } });
});
