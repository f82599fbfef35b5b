/**
 * Keeps the focus in its place. The browser drops it when the element that has it is removed or disabled: a keyboard then
 * begins at the top of the page again.
 */

const HEADING = 'h1, h2, h3, h4';

let last: { readonly element: Element; readonly ancestors: readonly Element[] } | undefined;
let wasDisabled = false;

const ancestorsOf = (element: Element): readonly Element[] => {
  const parent = element.parentElement;
  return parent ? [parent, ...ancestorsOf(parent)] : [];
};

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof Element)) return;
  last = { element: target, ancestors: ancestorsOf(target) };
  wasDisabled = false;
});

/** The heading of the smallest part of the page around an element that is gone. */
const headingAround = (ancestors: readonly Element[]): HTMLElement | undefined => {
  for (const ancestor of ancestors) {
    const headings = ancestor.isConnected ? ancestor.querySelectorAll<HTMLElement>(HEADING) : [];
    const visible = [...headings].find((heading) => heading.checkVisibility());
    if (visible) return visible;
  }
  return undefined;
};

const keep = (): void => {
  if (!last) return;
  const { element, ancestors } = last;
  const isLost = document.activeElement === document.body;
  if (element.isConnected) {
    if (element.matches(':disabled')) wasDisabled = true;
    else if (wasDisabled) {
      wasDisabled = false;
      if (isLost && element instanceof HTMLElement) element.focus({ preventScroll: true });
    }
    return;
  }
  last = undefined;
  if (!isLost) return;
  const heading = headingAround(ancestors);
  if (!heading) return;
  if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
};

/** Moves the focus on after every change of the page that takes it away. */
export const keepFocus = (): void =>
  new MutationObserver(keep).observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
