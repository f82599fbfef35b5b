import { Store } from './store.ts';

/** Whether the service can be reached, and until when it asks to wait. */
export interface Connection {
  readonly isOffline: boolean;
  /** The time in milliseconds; undefined while there is no need to wait. */
  readonly waitsUntil: number | undefined;
}

export const connection = new Store<Connection>({ isOffline: !navigator.onLine, waitsUntil: undefined });

/** The number of changes that were made and have not been answered. */
export const unsent = new Store(0);

/** Notes that the service was not reached, or was; without a network it is not, also when an earlier response arrives. */
export const setOffline = (isUnreached: boolean): void => {
  const isOffline = isUnreached || !navigator.onLine;
  if (connection.value.isOffline !== isOffline) connection.set({ ...connection.value, isOffline });
};

export const setWaiting = (waitsUntil: number | undefined): void => connection.set({ ...connection.value, waitsUntil });

window.addEventListener('offline', () => setOffline(true));
window.addEventListener('online', () => setOffline(false));

/** Resolves when the browser has a network; at once when it has one. */
export const whenOnline = async (): Promise<void> => {
  if (navigator.onLine) return;
  const online = Promise.withResolvers<void>();
  window.addEventListener('online', () => online.resolve(), { once: true });
  await online.promise;
};

/** Resolves when the service is reached; at once unless it is known not to be. */
export const whenReached = async (): Promise<void> => {
  if (!connection.value.isOffline) return;
  const reached = Promise.withResolvers<void>();
  const unsubscribe = connection.subscribe(() => {
    if (!connection.value.isOffline) reached.resolve();
  });
  await reached.promise;
  unsubscribe();
};
