import { onUserEnd } from './session.ts';
import { Store } from './store.ts';

/** Work of the service that goes on in the background. */
export interface Work {
  /** The id of an import, or of a batch. */
  readonly id: string;
  readonly title: string;
}

const STORED = 'console.work';

/** What the user has started in this tab, also before a reload, until its outcome is dismissed. */
export const work = new Store<readonly Work[]>(JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as readonly Work[]);

work.subscribe(() => sessionStorage.setItem(STORED, JSON.stringify(work.value)));

onUserEnd(() => work.set([]));

export const forgetWork = (id: string): void => work.set(work.value.filter((one) => one.id !== id));

export const followWork = (one: Work): void => work.set([...work.value.filter(({ id }) => id !== one.id), one]);
