// What a browser keeps for the pages. Storage may be blocked or full: the pages work without it.

const attempt = <T>(action: () => T): T | undefined => {
  try {
    return action();
  } catch {
    return undefined;
  }
};

type Place = 'localStorage' | 'sessionStorage';

/** An entry of a storage of the browser. */
export const stored = (place: Place, key: string) => ({
  read: (): string | null => attempt(() => globalThis[place].getItem(key)) ?? null,
  write: (value: string): void => attempt(() => globalThis[place].setItem(key, value)),
  remove: (): void => attempt(() => globalThis[place].removeItem(key)),
});

/** The home page in the language of a payment's buyer: the payment page returns to one address in the first language. */
export const languageOfPayment = stored('sessionStorage', 'site-payment');
