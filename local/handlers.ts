import { existsSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { handlerFileOf } from '#contract/table.ts';
import { readComponents } from './jsx.ts';

export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

/** Loads the handler of a route, a subscription or a job by its id. */
export type ImportHandler = (id: string) => Promise<LambdaHandler>;

readComponents();

/** Imports a handler from `functions/`. @throws {Error} when the file or its handler is missing. */
export const importHandler: ImportHandler = async (id) => {
  const name = `functions/${handlerFileOf(id)}.ts`;
  const file = new URL(`../${name}`, import.meta.url);
  if (!existsSync(file)) throw new Error(`${name} does not exist; ${id} needs it.`);
  const { handler } = (await import(file.href)) as { handler?: unknown };
  if (typeof handler !== 'function') throw new Error(`${name} exports no handler.`);
  return handler as LambdaHandler;
};

/** Caches loaded handlers. A failed import is retried by the next call. */
export const cacheHandlers = (load: ImportHandler): ImportHandler => {
  const known = new Map<string, Promise<LambdaHandler>>();
  return (id) => {
    const found = known.get(id);
    if (found) return found;
    const loading = load(id);
    known.set(id, loading);
    loading.catch(() => known.delete(id));
    return loading;
  };
};
