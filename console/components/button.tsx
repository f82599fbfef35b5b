import {
  ArrowDown,
  ArrowUp,
  Check,
  ChevronLeft,
  ChevronRight,
  Menu,
  Minus,
  Pencil,
  Plus,
  Search,
  Trash2,
  X,
} from 'lucide-react';
import type { ReactNode } from 'react';

const icons = {
  approve: Check,
  close: X,
  delete: Trash2,
  down: ArrowDown,
  edit: Pencil,
  less: Minus,
  menu: Menu,
  next: ChevronRight,
  add: Plus,
  previous: ChevronLeft,
  search: Search,
  up: ArrowUp,
} as const;

interface ButtonProps {
  readonly children?: ReactNode;
  readonly kind?: 'normal' | 'primary' | 'danger' | 'danger primary' | 'quiet' | 'link';
  readonly icon?: keyof typeof icons;
  /** The accessible name of a button without text. */
  readonly label?: string;
  /** A shortcut, shown beside the text and not part of the name. */
  readonly hint?: string;
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean | undefined;
  readonly isPressed?: boolean;
  readonly onClick?: () => void;
}

export const Button = ({
  children,
  kind = 'normal',
  icon,
  label,
  hint,
  type = 'button',
  isDisabled = false,
  isPressed,
  onClick,
}: ButtonProps) => {
  const Icon = icon && icons[icon];
  const shape = children === undefined ? ' icon' : '';
  return (
    <button
      type={type}
      className={`button${kind === 'normal' ? '' : ` ${kind}`}${shape}`}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      {Icon && <Icon size={16} aria-hidden />}
      {children}
      {hint !== undefined && <kbd aria-hidden>{hint}</kbd>}
    </button>
  );
};
