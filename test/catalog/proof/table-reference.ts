import { noCounts } from '#domain/projects/project.ts';
import { Reference } from '../reference.ts';

type StoredItem = Readonly<Record<string, unknown>>;

const PLACING = new Set(['pk', 'sk', 'type', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk']);

/** What an item says, without what places it. */
const said = (item: StoredItem): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !PLACING.has(name)));

/** What every catalog has to answer, from a full read of the table. */
export const referenceOf = (items: readonly StoredItem[], isPoisoned: (item: StoredItem) => boolean): Reference => {
  const reference = new Reference();
  for (const item of items.filter((one) => !isPoisoned(one))) {
    if (item.type === 'project') reference.apply([{ kind: 'project', project: said(item) as never }]);
    if (item.type === 'category') reference.apply([{ kind: 'category', category: said(item) as never }]);
    if (item.type === 'counts') {
      const { project_id, ...record } = said(item);
      // Counters that never moved are not written.
      const whole = { ...noCounts, ...record };
      reference.apply([{ kind: 'counts', projectId: String(project_id), counts: whole }]);
    }
  }
  return reference;
};
