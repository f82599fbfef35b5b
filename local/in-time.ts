/** Waits for work, but no longer than it may take. @throws what `late` makes when the time is up; the work is not stopped. */
export const inTime = async <T>(work: Promise<T>, seconds: number, late: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
};
