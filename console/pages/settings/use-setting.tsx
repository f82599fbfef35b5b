import { type ReactNode, useState } from 'react';
import { ApiError, fieldErrors, responseOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, notifyError, perform } from '../../app/toasts.tsx';
import { useUnsaved } from '../../app/unsaved.tsx';
import { MergeDialog, type MergedField } from '../../components/merge.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { areSame, type Entries, entriesOf, updateBetween, type Value } from './entries.ts';
import { text } from './strings.ts';

interface SettingResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

interface Calls {
  readonly read: (signal?: AbortSignal) => Promise<SettingResponse>;
  readonly update: (body: object, headers: Record<string, string>) => Promise<SettingResponse>;
}

interface Version {
  readonly entries: Entries;
  readonly etag: string;
}

const versionOf = async (call: Promise<SettingResponse>): Promise<Version> => {
  const { body, headers } = await responseOf(call);
  return { entries: entriesOf((body as { data: object }).data), etag: headers.get('etag') ?? '' };
};

const textOf = (value: Value | undefined): string => {
  if (typeof value === 'boolean') return value ? strings.fields.yes : strings.fields.no;
  if (typeof value === 'object') return value.map(({ label, url }) => `${label}: ${url}`).join('\n');
  return value ?? '';
};

/** The fields in which what is here differs from what is stored. */
const mergedFields = (base: Entries, mine: Entries, theirs: Entries): readonly MergedField[] =>
  [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
    .filter((path) => !areSame(mine[path], theirs[path]))
    .map((path) => ({
      name: path,
      label: path.split('.').map(words).join(' · '),
      mine: textOf(mine[path]),
      theirs: textOf(theirs[path]),
      isMine: !areSame(mine[path], base[path]),
    }));

/** A setting with unsaved changes. */
export interface SettingForm {
  readonly entries: Entries;
  readonly isChanged: boolean;
  readonly set: (path: string, value: Value) => void;
  readonly errorsOf: (path: string) => readonly string[];
  readonly save: () => Promise<void>;
  readonly discard: () => void;
  /** Sets everything back to the defaults. */
  readonly reset: () => Promise<void>;
  readonly dialog: ReactNode;
}

/** Edits a setting: saves what was changed, merges after a 412, and can be undone. */
export const useSetting = (name: string, { read, update }: Calls) => {
  const query = useResource(['settings', name], async (signal) => await versionOf(read(signal)), { poll: true });
  const [draft, setDraft] = useState<Version & { readonly base: Entries }>();
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<Version>();

  useUnsaved(draft !== undefined);

  const done = async (before: Entries, after: Entries): Promise<void> => {
    setDraft(undefined);
    setError(undefined);
    setTheirs(undefined);
    notify(text.saved, async () => {
      await responseOf(update(updateBetween(after, before), {}));
      await refresh('settings');
    });
    await refresh('settings');
  };

  const save = async (changed = draft): Promise<void> => {
    if (!changed) return;
    try {
      const stored = await versionOf(
        update(updateBetween(changed.base, changed.entries), { 'if-match': changed.etag }),
      );
      await done(changed.base, stored.entries);
    } catch (failure) {
      setError(failure);
      if (failure instanceof ApiError && failure.status === 412) {
        await perform(async () => setTheirs(await versionOf(read())));
      } else {
        notifyError(
          failure,
          failure instanceof ApiError && failure.status === 400 ? undefined : () => void save(changed),
        );
      }
    }
  };

  const formOf = (stored: Version): SettingForm => {
    const { entries } = draft ?? stored;
    return {
      entries,
      isChanged: draft !== undefined,
      set: (path, value) =>
        setDraft((before) => ({
          base: before?.base ?? stored.entries,
          etag: before?.etag ?? stored.etag,
          entries: { ...(before?.entries ?? stored.entries), [path]: value },
        })),
      errorsOf: (path) => fieldErrors(error, ...path.split('.')),
      save: async () => await save(),
      discard: () => {
        setDraft(undefined);
        setError(undefined);
      },
      reset: async () => {
        await perform(async () => {
          const parts = Object.fromEntries(Object.keys(stored.entries).map((path) => [path.split('.')[0], null]));
          const after = await versionOf(update(parts, {}));
          await done(stored.entries, after.entries);
        });
      },
      dialog: theirs && draft && (
        <MergeDialog
          fields={mergedFields(draft.base, draft.entries, theirs.entries)}
          onClose={() => setTheirs(undefined)}
          onSave={(mine) => {
            const own = Object.entries(draft.entries).filter(([path]) => mine.has(path));
            const merged = {
              ...theirs,
              base: theirs.entries,
              entries: { ...theirs.entries, ...Object.fromEntries(own) },
            };
            setTheirs(undefined);
            setDraft(merged);
            void save(merged);
          }}
        />
      ),
    };
  };
  return [query, formOf] as const;
};
