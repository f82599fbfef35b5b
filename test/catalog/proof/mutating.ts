import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { Mutation } from './mutations.ts';

const root = new URL('../../../', import.meta.url);

const partsOf = ({ file, find }: Mutation): string[] => readFileSync(new URL(file, root), 'utf8').split(find);

/** Whether the text to replace occurs exactly once. If not, the source has changed and the mutation must be updated. */
export const fits = (mutation: Mutation): boolean => partsOf(mutation).length === 2;

/** Makes this process load the mutated source; the file is not changed. Must precede the first import of the file. */
export const mutateOnLoad = (mutation: Mutation): void => {
  if (!fits(mutation)) throw new Error(`The mutation "${mutation.name}" no longer matches ${mutation.file}.`);
  const source = partsOf(mutation).join(mutation.replace);
  const { href } = new URL(mutation.file, root);
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url === href ? { ...loaded, source } : loaded;
    },
  });
};
