import { useState } from 'react';
import type { Collection } from '#contract/collections.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { storeOrder as storeOrderOf } from '../../app/ordering.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { later } from '../../components/lazy.tsx';
import { OrderedRow } from '../../components/ordered-row.tsx';
import { droppedAt, movedTo } from '../../components/reordered.ts';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import type { Edge } from '../../components/use-dragging.ts';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { collections as text } from './strings.ts';

const CollectionForm = later(async () => (await import('./collection-form.tsx')).CollectionForm);

const NEW = 'new';
const KEY = ['collections', 'all'] as const;
const PAGE_SIZE = 100;

/** All collections: their order is that of the whole list. */
const readAll = async (signal: AbortSignal): Promise<readonly Collection[]> => {
  const all: Collection[] = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const { data, meta } = await bodyOf(client.collections.list({ query: { page, limit: PAGE_SIZE }, signal }));
    all.push(...data);
    ({ hasMore } = meta);
  }
  return all;
};

const storeOrder = (collections: readonly Collection[]): Promise<void> =>
  storeOrderOf(
    KEY,
    collections,
    (collection, sort_order) => dataOf(client.collections.update({ params: { collection }, body: { sort_order } })),
    () => refresh('collections'),
  );

/** The collections: their order, creation, changes and deletion. */
export const CollectionsTab = () => {
  const [url, change] = useUrl();
  const open = url.get('open');
  const q = url.get('q') ?? '';
  const [removed, setRemoved] = useState<Collection>();
  const query = useResource(KEY, readAll, { poll: open === null });
  const close = () => change({ open: undefined }, { replace: true });
  return (
    <Loaded query={query}>
      {(all) => {
        const shown = all.filter(({ title, slug }) => `${title} ${slug}`.toLowerCase().includes(q.toLowerCase()));
        const store = (title: string, next: readonly Collection[]) =>
          void perform(async () => {
            await storeOrder(next);
            notify(text.moved(title), () => storeOrder(all));
          });
        const drop = (id: string, target: string, edge: Edge) =>
          store(all.find((one) => one.id === id)?.title ?? '', droppedAt(all, id, target, edge));
        const step = ({ id, title }: Collection, by: -1 | 1) =>
          store(title, movedTo(all, id, all.findIndex((one) => one.id === id) + by));
        return (
          <div className="stack">
            <div className="filter-bar">
              <SearchField value={q} onSearch={(next) => change({ q: next }, { replace: true })} />
              <p className="soft">{text.text}</p>
              <span className="push">
                <Button kind="primary" icon="add" onClick={() => change({ open: NEW })}>
                  {text.add}
                </Button>
              </span>
            </div>
            {all.length === 0 && (
              <EmptyState title={text.empty}>
                <p>{text.emptyText}</p>
              </EmptyState>
            )}
            {all.length > 0 && shown.length === 0 && <EmptyState title={text.noMatch} />}
            {shown.length > 0 && (
              <ul className="card rows" aria-label={text.list}>
                {shown.map((collection) => (
                  <OrderedRow
                    key={collection.id}
                    id={collection.id}
                    title={collection.title}
                    reference={collection.slug}
                    isFirst={collection === all[0]}
                    isLast={collection === all.at(-1)}
                    onDrop={drop}
                    onStep={(by) => step(collection, by)}
                    onDelete={() => setRemoved(collection)}
                  >
                    <Badge tone={collection.is_public ? 'good' : 'neutral'}>
                      {collection.is_public ? text.public : text.hidden}
                    </Badge>
                    {text.count(formatNumber(collection.project_count), collection.project_count)}
                  </OrderedRow>
                ))}
              </ul>
            )}
            {open !== null && <CollectionForm key={open} id={open === NEW ? undefined : open} onClose={close} />}
            {removed && (
              <Confirm
                title={text.deleteTitle(removed.title)}
                action={strings.actions.delete}
                onConfirm={async () => {
                  await dataOf(client.collections.remove({ params: { collection: removed.id } }));
                  notify(text.deleted(removed.title));
                  await refresh('collections');
                }}
                onClose={() => setRemoved(undefined)}
              >
                <p>{text.deleteText}</p>
              </Confirm>
            )}
          </div>
        );
      }}
    </Loaded>
  );
};
