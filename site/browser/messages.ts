// The texts of islands, which their page holds in the language of the interface.

import type { MessageKey } from '../translate.ts';
import { RequestError } from './api.ts';

export const texts = JSON.parse(document.querySelector('#messages')?.textContent ?? '{}') as Partial<
  Record<MessageKey, string>
>;

/** The text of a message with its values in place of their names in braces. */
export const t = (key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string =>
  (texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (name, one: string) => String(values[one] ?? name));

/** The messages in the details of wrong input, by the name of the field; those of the whole are under ''. */
export const fieldProblems = (details: unknown, path = ''): Readonly<Record<string, string>> => {
  if (typeof details !== 'object' || details === null) return {};
  const problems: Record<string, string> = {};
  for (const [name, value] of Object.entries(details)) {
    if (name === '_errors') {
      const [first] = value as readonly string[];
      if (first !== undefined) problems[path] = first;
    } else {
      Object.assign(problems, fieldProblems(value, path === '' ? name : `${path}.${name}`));
    }
  }
  return problems;
};

/** The message to show for a failed request. */
export const problemText = (error: unknown): string => {
  if (!(error instanceof RequestError)) return t('problem.other');
  const { status, body } = error;
  if (status === 0) return t('problem.offline');
  if (status === 429) return t('problem.rate', { seconds: body.retryAfter ?? 60 });
  if (status === 401) return t('problem.signedOut');
  if (body.code === 'BANNED') return `${t('problem.banned')} ${body.reason ?? ''}`.trim();
  if (body.code === 'EMAIL_UNVERIFIED') return t('problem.unverified');
  if (status === 404) return t('problem.gone');
  if (status === 400) return [...new Set(Object.values(fieldProblems(body.details)))].join(' ') || t('problem.other');
  if (status === 409 || status === 413 || status === 503) return body.message ?? t('problem.other');
  return t('problem.other');
};
