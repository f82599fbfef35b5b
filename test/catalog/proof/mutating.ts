import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { Mutation } from './mutations.ts';

/** Where the sources are. */
const root = new URL('../../../', import.meta.url);

const partsOf = ({ file, find }: Mutation): string[] => readFileSync(new URL(file, root), 'utf8').split(find);

/** Whether what a mutation replaces is there exactly once; when it is not, the source has changed and the mutation has to follow. */
export const fits = (mutation: Mutation): boolean => partsOf(mutation).length === 2;

/** Lets this process load the broken source in place of the right one; the file stays as it is. Before the first import of it. */
export const loadMutated = (mutation: Mutation): void => {
  if (!fits(mutation)) throw new Error(`The mutation "${mutation.name}" does not fit ${mutation.file} any more.`);
  const source = partsOf(mutation).join(mutation.replace);
  const { href } = new URL(mutation.file, root);
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url === href ? { ...loaded, source } : loaded;
    },
  });
};
