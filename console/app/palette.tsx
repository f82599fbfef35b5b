import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { client, dataOf } from '../api.ts';
import { StatusBadge } from '../components/badge.tsx';
import { Dialog } from '../components/dialog.tsx';
import * as strings from '../strings.ts';
import { activeKeys } from './keys.tsx';
import { addressOf, type PageEntry } from './pages.ts';
import { useResource } from './queries.ts';
import { useStore } from './store.ts';

interface Item {
  readonly id: string;
  readonly text: string;
  readonly extra?: React.ReactNode;
  readonly run: () => void;
}

const LISTED_MAX = 8;

/** A search over pages, the actions of the present page, and listings. */
export const Palette = ({ pages, onClose }: { readonly pages: readonly PageEntry[]; readonly onClose: () => void }) => {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const q = text.trim();
  const found = useResource(
    ['projects', 'palette', { q }],
    (signal) => dataOf(client.projects.browse({ query: { status: 'all', q, limit: LISTED_MAX }, signal })),
    { isEnabled: q.length > 1 },
  );
  const actions = useStore(activeKeys)
    .filter(({ scope }) => scope === 'here')
    .flatMap(({ keys }) => Object.entries(keys));
  const matches = (label: string) => label.toLowerCase().includes(q.toLowerCase());
  const items: readonly Item[] = [
    ...pages
      .filter(({ title }) => matches(title))
      .map((page) => ({ id: page.path, text: page.title, run: () => navigate(addressOf(page)) })),
    ...(q === '' ? [] : actions)
      .filter(([, { label }]) => matches(label))
      .map(([key, { label, run }]) => ({
        id: key,
        text: label,
        extra: <kbd>{key}</kbd>,
        // After the dialog has given the focus back.
        run: () => void setTimeout(run),
      })),
    ...(q.length > 1 ? (found.data ?? []) : []).map((listing) => ({
      id: listing.id,
      text: listing.name,
      extra: <StatusBadge listing={listing} />,
      run: () => navigate(`/listings?open=${listing.id}`),
    })),
  ];
  const selected = items[Math.min(at, items.length - 1)];
  const choose = (item: Item | undefined) => {
    if (!item) return;
    onClose();
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
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
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
