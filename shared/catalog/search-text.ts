import type { ProjectRecord } from '#domain/projects/project.ts';
import { fold } from './fold.ts';

/** Stands between the fields of a search text; folded text never contains it, so no match spans two fields. */
export const FIELD_END = '\0';

const HOST = /^\s*[a-z][a-z0-9+.-]*:[/\\]*(?:[^/\\?#]*@)?([^/\\?#:]*)/i;

/** The host as it is written in the address, so that an international name is found by its own letters. */
const writtenHost = (url: string): string => HOST.exec(url)?.[1] ?? '';

/** What each kind of search looks at, folded: `public` in name, description, host and tags, `admin` in name and address. */
export const searchTexts = {
  public: (project: ProjectRecord): string =>
    fields(project.name, project.description, writtenHost(project.url), ...project.tags),
  admin: (project: ProjectRecord): string => fields(project.name, project.url),
} as const;

/** ASCII, the ends of fields included: such a text is folded in one go. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
const ASCII = /^[\x00-\x7f]*$/;

const fields = (...texts: string[]): string => {
  const joined = texts.join(FIELD_END);
  if (ASCII.test(joined) && !texts.some((text) => text.includes(FIELD_END))) return joined.toLowerCase();
  return texts.map(fold).join(FIELD_END);
};
