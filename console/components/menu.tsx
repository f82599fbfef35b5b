import { type ReactNode, useEffect, useRef, useState } from 'react';

/** A button that shows more controls; they do not exist before it is opened. */
export const Menu = ({
  label,
  name,
  children,
}: {
  readonly label: ReactNode;
  /** The accessible name, where the label is the same in several rows. */
  readonly name?: string;
  readonly children: ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const { current: element } = menu;
    if (!isOpen || !element) return undefined;
    const onPress = ({ target }: PointerEvent) => {
      if (!element.contains(target as Node)) element.open = false;
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      element.open = false;
      element.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  return (
    <details ref={menu} name="menu" className="menu" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="button" aria-label={name}>
        {label}
      </summary>
      {isOpen && <div className="menu-items">{children}</div>}
    </details>
  );
};
