// Controls that only a script makes work wait for it: a click before would be lost, and a form would leave the page with its text.

/** The attributes of a button until the script of its island has run; it looks as it will then. */
export const waiting = { disabled: true, 'data-waiting': true } as const;

/** Enables the buttons of an island, when it listens to them. */
export const stopWaiting = (area: ParentNode | null | undefined): void => {
  for (const button of area?.querySelectorAll<HTMLButtonElement>('[data-waiting]') ?? []) {
    button.disabled = false;
    button.removeAttribute('data-waiting');
  }
};
