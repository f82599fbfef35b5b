import type { CustomValue, Field } from '#contract/custom-fields.ts';
import { client, dataOf } from '../api.ts';
import { words } from '../format.ts';
import * as strings from '../strings.ts';
import { useResource } from './queries.ts';
import { isOn, session } from './session.ts';
import { useStore } from './store.ts';

/** The value of an input: numbers are texts while they are typed; null is no value. */
export type Typed = CustomValue | null;

/** What is sent. A text that is no number is sent as it is, so that the service says what is wrong. */
export const sentValue = ({ type }: Field, typed: Typed): Typed => {
  if (typed === '' || (Array.isArray(typed) && typed.length === 0)) return null;
  if (type !== 'number' || typeof typed !== 'string') return typed;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
};

const none: readonly Field[] = [];

/** The definitions of further fields in their order, without deleted ones. Moderators know those that everyone may read. */
export const useCustomFields = (): readonly Field[] => {
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const { data = none } = useResource(
    ['fields', isAdmin ? 'all' : 'public'],
    (signal): Promise<readonly Field[]> =>
      isAdmin ? dataOf(client.fields.browse({ signal })) : dataOf(client.fields.list({ signal })),
    { isEnabled: isOn('fields'), part: strings.states.parts.fields },
  );
  return data.filter(({ deleted_at }) => deleted_at === null);
};

/** The fields that a listing in these categories has. */
export const applicable = (fields: readonly Field[], categories: readonly string[]): readonly Field[] =>
  fields.filter((field) => field.categories.length === 0 || field.categories.some((slug) => categories.includes(slug)));

const PREFIX = 'fields.';

/** The name of a changed field in words: the label of a further one (`fields.<key>`). */
export const useNameOfField = (): ((name: string) => string) => {
  const fields = useCustomFields();
  return (name) => {
    if (!name.startsWith(PREFIX)) return words(name);
    const key = name.slice(PREFIX.length);
    return fields.find((field) => field.key === key)?.label ?? words(key);
  };
};
