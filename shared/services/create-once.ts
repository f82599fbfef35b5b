import { type IdKind, newId } from '#platform/ids.ts';

interface Creation<R> {
  readonly find: (id: string) => Promise<R | undefined>;
  /** Stores the record with this id, or fails when there is one. */
  readonly create: (id: string) => Promise<R>;
}

/**
 * Creates a record once, however often its request is repeated: the id derives from the seed, and a retry finds what an
 * earlier attempt has created.
 * @param seed the ULID that the attempts of a request share; undefined for a request that is executed each time.
 */
export const createOnce = async <R>(
  kind: IdKind,
  seed: string | undefined,
  { find, create }: Creation<R>,
): Promise<R> => {
  if (seed === undefined) return await create(newId(kind));
  const id = newId(kind, seed);
  const earlier = await find(id);
  if (earlier) return earlier;
  try {
    return await create(id);
  } catch (error) {
    // An attempt that was presumed dead may have created it meanwhile.
    const concurrent = await find(id);
    if (concurrent) return concurrent;
    throw error;
  }
};
