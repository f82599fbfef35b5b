/** Awaits work for a limited time. @throws the error of `onTimeout` after `seconds`; the work continues. */
export const withDeadline = async <T>(work: Promise<T>, seconds: number, onTimeout: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
