import { type RefObject, useEffect } from 'react';

/** Moves the focus to the first field that a failure is about: it can be out of sight. */
export const useInvalidFocus = (form: RefObject<HTMLElement | null>, error: unknown): void => {
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, error]);
};
