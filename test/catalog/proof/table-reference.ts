import { noCounts, unsetFields } from '#model/project.ts';
import { Reference } from '#test/catalog/reference.ts';

type StoredItem = Readonly<Record<string, unknown>>;

const NOT_IN_RECORD = new Set(['pk', 'sk', 'type', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk', 'closed']);

/** An item without its keys, its type and the mark of closed counters. */
const recordOf = (item: StoredItem): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !NOT_IN_RECORD.has(name)));

/** The expected state of every catalog, from a full read of the table. */
export const referenceOf = (items: readonly StoredItem[], isMalformed: (item: StoredItem) => boolean): Reference => {
  const reference = new Reference();
  for (const item of items.filter((one) => !isMalformed(one))) {
    // Fields without a value have no attribute.
    if (item.type === 'project') {
      reference.apply([{ kind: 'project', project: { ...unsetFields, ...recordOf(item) } as never }]);
    }
    if (item.type === 'category') reference.apply([{ kind: 'category', category: recordOf(item) as never }]);
    if (item.type === 'counts') {
      const { project_id, ...record } = recordOf(item);
      // Attributes of counters that never changed are absent.
      const whole = { ...noCounts, ...record };
      reference.apply([{ kind: 'counts', projectId: String(project_id), counts: whole }]);
    }
  }
  return reference;
};
