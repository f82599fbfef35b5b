import { existsSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { doorOf } from '#contract/table.ts';

/** A Lambda handler of any kind. */
export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

/** Finds the handler behind the id of a route, a subscription or a job. */
export type ImportDoor = (id: string) => Promise<LambdaHandler>;

/** Imports the handler from its file under `functions`. @throws when the file or its handler is missing. */
export const importDoor: ImportDoor = async (id) => {
  const name = `functions/${doorOf(id)}.ts`;
  const file = new URL(`../${name}`, import.meta.url);
  if (!existsSync(file)) throw new Error(`${name} is missing for ${id}.`);
  const { handler } = (await import(file.href)) as { handler?: unknown };
  if (typeof handler !== 'function') throw new Error(`${name} exports no handler.`);
  return handler as LambdaHandler;
};

/** Imports each door once; one that failed is tried again at the next call. */
export const rememberDoors = (load: ImportDoor): ImportDoor => {
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
