/** A response with an ETag. */
interface CachedResponse {
  readonly etag: string;
  readonly text: string;
  readonly headers: Headers;
}

const ENTRIES_MAX = 200;

const entries = new Map<string, CachedResponse>();

/** Responses by URL, for conditional requests. */
export const responseCache = {
  get: (url: string): CachedResponse | undefined => entries.get(url),
  /** Drops the oldest entry above the limit. */
  set: (url: string, response: CachedResponse): void => {
    entries.delete(url);
    entries.set(url, response);
    const [oldest] = entries.keys();
    if (entries.size > ENTRIES_MAX && oldest !== undefined) entries.delete(oldest);
  },
  /** Called at sign-out. */
  clear: (): void => entries.clear(),
};
