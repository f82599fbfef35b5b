// Each try loses only to a write that went through, so many losses in a row mean as many changes to one thing.
const TRIES = 30;

/**
 * Does something anew for as long as somebody else is faster: while it throws an error of this name. It reads what there is
 * and decides each time, so the rules hold for the record that is really replaced.
 * @throws whatever else the work throws, and in the end that somebody was always faster.
 */
export const retried = async <T>(overtaken: string, work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isOvertaken = error instanceof Error && error.name === overtaken;
      if (!isOvertaken || attempt >= TRIES) throw error;
    }
  }
};
