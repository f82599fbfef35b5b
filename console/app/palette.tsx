import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { bodyOf, client, dataOf } from '../api.ts';
import { StatusBadge } from '../components/badge.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Highlighted } from '../components/highlighted.tsx';
import { userName } from '../components/user-link.tsx';
import { hostOf } from '../format.ts';
import * as strings from '../strings.ts';
import { activeKeys } from './keys.tsx';
import { hrefOf, type PageEntry } from './pages.ts';
import { useResource } from './queries.ts';
import { recentListings } from './recent.ts';
import { rangesIn, searchesWords, searchParameters } from './search.ts';
import { session } from './session.ts';
import { useStore } from './store.ts';

interface Item {
  readonly id: string;
  readonly text: React.ReactNode;
  readonly extra?: React.ReactNode;
  readonly run: () => void;
  /** Whether the dialog stays open. */
  readonly stays?: boolean;
}

const LISTED_MAX = 8;
const USERS_MAX = 4;

/** A search over pages, the actions of the present page, and listings. */
export const Palette = ({ pages, onClose }: { readonly pages: readonly PageEntry[]; readonly onClose: () => void }) => {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  /** After `>` only actions are searched. */
  const isActions = text.startsWith('>');
  const q = text.replace(/^>/, '').trim();
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const isSearching = q.length > 1 && !isActions;
  const found = useResource(
    ['projects', 'palette', { q }],
    (signal) =>
      bodyOf(
        client.projects.browse({
          query: {
            status: 'all',
            ...searchParameters(q),
            sort: searchesWords(q) ? 'relevance' : 'newest',
            limit: LISTED_MAX,
          },
          signal,
        }),
      ),
    { isEnabled: isSearching },
  );
  const users = useResource(
    ['users', 'palette', { q }],
    (signal) => dataOf(client.users.list({ query: { q, limit: USERS_MAX }, signal })),
    { isEnabled: isSearching && isAdmin },
  );
  const categories = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })), {
    isEnabled: isSearching && isAdmin,
  });
  const recent = useStore(recentListings);
  const actions = useStore(activeKeys)
    .filter(({ scope }) => scope === 'here')
    .flatMap(({ keys }) => Object.entries(keys));
  const matches = (label: string) => label.toLowerCase().includes(q.toLowerCase());
  const didYouMean = found.data?.meta.search?.did_you_mean;
  const search = (next: string) => {
    setText(next);
    setAt(0);
  };
  const items: readonly Item[] = [
    ...(text === '' ? recent : []).map(({ id: listing, name }) => ({
      id: listing,
      text: name,
      extra: <span className="soft small">{strings.shell.recent}</span>,
      run: () => navigate(`/listings?open=${listing}`),
    })),
    ...(isActions ? [] : pages)
      .filter(({ title }) => matches(title))
      .map((page) => ({ id: page.path, text: page.title, run: () => navigate(hrefOf(page)) })),
    ...(text === '' ? [] : actions)
      .filter(([, { label }]) => matches(label))
      .map(([key, { label, run }]) => ({
        id: key,
        text: label,
        extra: <kbd>{key}</kbd>,
        // After the dialog has given the focus back.
        run: () => void setTimeout(run),
      })),
    ...(isSearching ? (categories.data ?? []) : [])
      .filter(({ name }) => matches(name))
      .slice(0, USERS_MAX)
      .map((category) => ({
        id: category.id,
        text: category.name,
        extra: <span className="soft small">{strings.shell.category}</span>,
        run: () => navigate(`/categories?open=${category.id}`),
      })),
    ...(isSearching ? (users.data ?? []) : []).map((user) => ({
      id: `user-${user.id}`,
      text: userName(user),
      extra: <span className="soft small">{user.email ?? strings.shell.roles[user.role]}</span>,
      run: () => navigate(`/users?open=${encodeURIComponent(user.id)}`),
    })),
    ...(isSearching && didYouMean
      ? [
          {
            id: 'did-you-mean',
            text: strings.search.didYouMean(didYouMean),
            run: () => search(didYouMean),
            stays: true,
          },
        ]
      : []),
    ...(isSearching ? (found.data?.data ?? []) : []).map((listing) => ({
      id: listing.id,
      text: <Highlighted text={listing.name} ranges={rangesIn(found.data?.meta.search, listing, 'name')} />,
      extra: (
        <span className="row">
          <span className="soft small">{hostOf(listing.url)}</span>
          <StatusBadge listing={listing} />
        </span>
      ),
      run: () => navigate(`/listings?open=${listing.id}`),
    })),
  ];
  const selected = items[Math.min(at, items.length - 1)];
  const choose = (item: Item | undefined) => {
    if (!item) return;
    if (!item.stays) onClose();
    item.run();
  };
  return (
    <Dialog title={strings.shell.palette} onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-label={strings.shell.paletteHint}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={selected && `${id}-${selected.id}`}
        placeholder={strings.shell.paletteHint}
        value={text}
        onChange={(event) => search(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(at + 1, items.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (event.key === 'Enter') choose(selected);
          else return;
          event.preventDefault();
        }}
      />
      {items.length === 0 && <p className="soft">{strings.shell.paletteEmpty}</p>}
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label={strings.shell.palette}>
        {items.map((item) => (
          // The input keeps the focus and handles the keys.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
          <div
            key={item.id}
            id={`${id}-${item.id}`}
            className="palette-item"
            role="option"
            tabIndex={-1}
            aria-selected={item === selected}
            onClick={() => choose(item)}
          >
            <span className="truncate">{item.text}</span>
            <span className="push">{item.extra}</span>
          </div>
        ))}
      </div>
    </Dialog>
  );
};
