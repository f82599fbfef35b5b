import { environment } from '#platform/environment.ts';
import { notFound } from '#shared/errors.ts';

/** The content of the file that proves that reports by IndexNow are of this site. @throws 404 while no key is configured. */
export const indexNowKey = (): string => {
  const { indexNow } = environment();
  if (!indexNow) throw notFound();
  return indexNow.key;
};
