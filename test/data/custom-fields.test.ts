import { expect, it } from 'vitest';
import { currentFields, fieldItem, putField } from '#data/custom-fields.ts';
import { putItem } from '#data/write.ts';
import { field } from '#test/catalog/fixtures.ts';
import { withFeed } from '#test/catalog/with-feed.ts';
import type { VirtualTime } from '#test/support/virtual-time.ts';

let time: VirtualTime;

withFeed((feed) => {
  ({ time } = feed);
});

const labelOf = async (key: string) => (await currentFields()).get(key)?.label;

it('definitions are those that this process wrote, and those of others at most a second later', async () => {
  const { slugs: _slugs, within: _within, ...definition } = field({ id: 'fld_1', key: 'color', label: 'Color' });
  await putField(definition, 0);
  expect(await labelOf('color')).toBe('Color');
  // As another process writes it.
  await putItem(fieldItem({ ...definition, label: 'Colour' }));
  time.advance(900);
  expect(await labelOf('color')).toBe('Color');
  time.advance(101);
  expect(await labelOf('color')).toBe('Colour');
});
