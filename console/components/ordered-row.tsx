import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useHref, useUrl } from '../app/url.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { type Edge, useDragging } from './use-dragging.ts';

/** A record in a list whose order is changed by dragging and by buttons. Its title and a button open it, by the URL. */
export const OrderedRow = ({
  id,
  title,
  reference,
  isFirst,
  isLast,
  onDrop,
  onStep,
  onDelete,
  icon,
  actions,
  children,
}: {
  readonly id: string;
  readonly title: string;
  /** How addresses or programs name the record. */
  readonly reference: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onDrop: (id: string, target: string, edge: Edge) => void;
  readonly onStep: (step: -1 | 1) => void;
  readonly onDelete: () => void;
  readonly icon?: ReactNode;
  /** Further buttons. */
  readonly actions?: ReactNode;
  /** Facts about the record. */
  readonly children: ReactNode;
}) => {
  const [row, edge] = useDragging(id, onDrop);
  const [, change] = useUrl();
  const hrefWith = useHref();
  return (
    <li ref={row} className="row apart category" data-edge={edge}>
      {icon}
      <div className="shrink grow">
        <p className="row tight">
          <Link href={hrefWith({ open: id })} className="shrink category-link" draggable={false}>
            <bdi>{title}</bdi>
          </Link>
          <span className="soft small mono shrink">{reference}</span>
        </p>
        <p className="row tight soft small">{children}</p>
      </div>
      <span className="row tight">
        <Button icon="up" label={strings.actions.moveUp} isDisabled={isFirst} onClick={() => onStep(-1)} />
        <Button icon="down" label={strings.actions.moveDown} isDisabled={isLast} onClick={() => onStep(1)} />
        <Button onClick={() => change({ open: id })}>{strings.actions.edit}</Button>
        {actions}
        <Button kind="danger" onClick={onDelete}>
          {strings.actions.delete}
        </Button>
      </span>
    </li>
  );
};
