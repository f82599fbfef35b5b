import type { Project } from '#contract/projects.ts';
import { notifyError } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { text } from './strings.ts';

/** Every listing that matches the filters. */
export const ALL = 'all';
export type Selected = ReadonlySet<string> | typeof ALL;

/** The most single listings that are selected: their ids are in the address, whose length is limited. */
const SELECTED_MAX = 300;

/** Ids without the prefix that they share, because the address has all of them. */
const PREFIX = 'prj_';
const SEPARATOR = '.';

const selectedOf = (value: string | null): Selected => {
  if (value === ALL) return ALL;
  return new Set((value ?? '').split(SEPARATOR).flatMap((id) => (id === '' ? [] : `${PREFIX}${id}`)));
};

const parameterOf = (selected: Selected): string =>
  selected === ALL ? ALL : [...selected].map((id) => id.slice(PREFIX.length)).join(SEPARATOR);

/** The selection, which the URL holds, so that it survives an opened record, Back and reload. */
export const useSelection = (): readonly [Selected, (selected: Selected) => void] => {
  const [url, setUrl] = useUrl();
  const change = (selected: Selected) => {
    if (selected !== ALL && selected.size > SELECTED_MAX) {
      notifyError(new Error(text.tooManySelected(SELECTED_MAX)));
      return;
    }
    setUrl({ selected: parameterOf(selected) }, { replace: true });
  };
  return [selectedOf(url.get('selected')), change];
};

export type Status = Project['status'] | 'deleted';

export const statusOf = ({ status, deleted_at }: Project): Status => (deleted_at === null ? status : 'deleted');

/** The status of every listing that a list has shown. Those of other pages are unknown after a reload. */
export const seenStatus = new Map<string, Status>();
