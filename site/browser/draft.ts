// Keeps what is typed into the form of a submission: in this browser at once, and as a draft of the signed-in user.

import type { Draft } from '#contract/drafts.ts';
import { RequestError, responseOf } from './api.ts';
import { markSession } from './session.ts';
import { stored } from './storage.ts';

/** Parts of a submission by their names. */
export type Content = Readonly<Record<string, unknown>>;

/** Content that the account does not have yet, with the entity tag of the draft that it changes. */
interface Entry {
  readonly content: Content;
  readonly etag: string | null;
}

const entryOf = (id: string | undefined) =>
  stored('localStorage', id === undefined ? 'site-submission' : `site-submission-${id}`);

/** What this browser keeps for a draft, or for a submission without one. */
export const keptContent = (id: string | undefined): Entry | undefined => {
  try {
    const entry = JSON.parse(entryOf(id).read() ?? 'null') as Entry | null;
    return entry && typeof entry.content === 'object' ? entry : undefined;
  } catch {
    return undefined;
  }
};

/** `local`: in this browser only. `changed`: the draft was changed elsewhere since it was read. */
export type SaveState = 'local' | 'saving' | 'saved' | 'failed' | 'changed';

export interface Report {
  readonly state: SaveState;
  /** Of the draft as it was saved. */
  readonly problems?: Draft['problems'];
  /** Why it was not saved on the account. */
  readonly error?: unknown;
}

/** How long after a key stroke a draft is saved, in milliseconds. */
const PAUSE_MS = 800;

/** The members that have a value: what is left blank is not sent. */
const filled = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).filter(
      ([, value]) => value !== '' && value !== null && !(Array.isArray(value) && !value.length),
    ),
  );

/** What is sent of the content of the form. The standard plan is the one that is chosen at first. */
export const sentContent = ({ fields, ...others }: Content): Content => ({
  plan: 'standard',
  ...filled(others),
  ...(fields !== undefined && { fields: filled(fields as Content) }),
});

/**
 * @param id the draft that is continued.
 * @param etag its entity tag when it was read.
 * @param isSaving whether the visitor can have drafts.
 * @param report is called after every change of the state.
 */
export const keepDraft = ({
  id,
  etag = null,
  isSaving,
  report,
}: {
  readonly id: string | undefined;
  readonly etag?: string | null;
  readonly isSaving: boolean;
  readonly report: (report: Report) => void;
}) => {
  let draft = id;
  let tag = etag;
  let canSave = isSaving;
  let current: Content = {};
  let isUnsaved = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;

  const write = (): void => entryOf(draft).write(JSON.stringify({ content: current, etag: tag } satisfies Entry));

  const send = (content: Content): Promise<Response> =>
    draft === undefined
      ? responseOf('POST', '/me/drafts', { body: { content } })
      : responseOf('PUT', `/me/drafts/${draft}`, {
          body: { content },
          ...(tag !== null && { headers: { 'if-match': tag } }),
        });

  /** Draws the conclusion from a refusal. @returns whether to try at once again. */
  const recover = (error: unknown): boolean => {
    const status = error instanceof RequestError ? error.status : undefined;
    if (status === 404) {
      // The draft was deleted elsewhere. What was typed must not get lost with it.
      entryOf(draft).remove();
      [draft, tag] = [undefined, null];
      return true;
    }
    if (status === 401) markSession(false);
    if (status === 401 || status === 409) canSave = false;
    report({ state: status === 412 ? 'changed' : canSave ? 'failed' : 'local', error });
    return false;
  };

  const saveAll = async (): Promise<void> => {
    while (isUnsaved && canSave) {
      isUnsaved = false;
      report({ state: 'saving' });
      try {
        const response = await send(sentContent(current));
        const { data } = (await response.json()) as { data: Draft };
        entryOf(draft).remove();
        [draft, tag] = [data.id, response.headers.get('etag')];
        history.replaceState(null, '', `?${new URLSearchParams({ draft }).toString()}`);
        if (isUnsaved) write();
        else report({ state: 'saved', problems: data.problems });
      } catch (error) {
        isUnsaved = true;
        const isTriedAgain = recover(error);
        write();
        if (!isTriedAgain) return;
      }
    }
  };

  /** Saves what is not saved yet. */
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    running ??= saveAll().finally(() => {
      running = undefined;
    });
    await running;
  };

  return {
    flush,
    change: (content: Content): void => {
      current = content;
      isUnsaved = true;
      write();
      clearTimeout(timer);
      if (canSave) timer = setTimeout(() => void flush(), PAUSE_MS);
      else report({ state: 'local' });
    },
    /** Replaces the draft whatever it is by now. */
    overwrite: async (): Promise<void> => {
      tag = null;
      await flush();
    },
    /** Forgets what this browser keeps. */
    forget: (): void => {
      clearTimeout(timer);
      canSave = false;
      entryOf(draft).remove();
    },
    /** The draft of the account, if any. */
    draftId: (): string | undefined => draft,
  };
};

export type DraftKeeper = ReturnType<typeof keepDraft>;
