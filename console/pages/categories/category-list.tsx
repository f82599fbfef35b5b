import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Category } from '#contract/categories.ts';
import { notify, perform } from '../../app/notices.tsx';
import { useAddress, useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { useLatest } from '../../components/use-latest.ts';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { CategoryIcon } from './category-icon.tsx';
import { storeOrder } from './changes.ts';
import type { Edge } from './dragging.ts';
import { changedPositions, placed, shownOrder, spheresOf, stepped, steppedSphere } from './order.ts';

type OnDrop = (id: string, target: string, edge: Edge) => void;

/** Makes a row draggable, and a target for others. @returns the edge at which a dragged row would be put. */
const useDragging = (id: string, onDrop: OnDrop) => {
  const row = useRef<HTMLLIElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const drop = useLatest(onDrop);
  useEffect(() => {
    const { current: element } = row;
    if (!element) return undefined;
    let isGone = false;
    let detach: (() => void) | undefined;
    const attach = async () => {
      // The buttons work until the script has arrived.
      const { attachDragging } = await import('./dragging.ts');
      if (isGone) return;
      detach = attachDragging(element, id, setEdge, (dropped, at) => drop.current(dropped, id, at));
    };
    void attach();
    return () => {
      isGone = true;
      detach?.();
    };
  }, [id, drop]);
  return [row, edge] as const;
};

const CategoryRow = ({
  category,
  isFirst,
  isLast,
  onDrop,
  onStep,
}: {
  readonly category: Category;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onDrop: OnDrop;
  readonly onStep: (step: -1 | 1) => void;
}) => {
  const { id, name, slug, description, project_count } = category;
  const [row, edge] = useDragging(id, onDrop);
  const [, change] = useUrl();
  const address = useAddress();
  return (
    <li ref={row} className="row apart category" data-edge={edge}>
      <CategoryIcon category={category} />
      <div className="shrink grow">
        <p className="row tight">
          <Link href={address({ open: id })} className="shrink" draggable={false}>
            <bdi>{name}</bdi>
          </Link>
          <span className="soft small mono shrink">{slug}</span>
        </p>
        <p className="soft small">
          {strings.categories.count(formatNumber(project_count), project_count)}
          {description !== null && (
            <>
              {' · '}
              <bdi>{description}</bdi>
            </>
          )}
        </p>
      </div>
      <span className="row tight">
        <Button icon="up" label={strings.rules.moveUp} isDisabled={isFirst} onClick={() => onStep(-1)} />
        <Button icon="down" label={strings.rules.moveDown} isDisabled={isLast} onClick={() => onStep(1)} />
        <Button onClick={() => change({ open: id })}>{strings.actions.edit}</Button>
        <Button onClick={() => change({ open: id, action: 'merge' })}>{strings.categories.merge}</Button>
        <Button kind="danger" onClick={() => change({ open: id, action: 'delete' })}>
          {strings.actions.delete}
        </Button>
      </span>
    </li>
  );
};

/** The categories by sphere; dragging and buttons change their order. */
export const CategoryList = ({ categories }: { readonly categories: readonly Category[] }) => {
  const spheres = spheresOf(categories);
  const shown = shownOrder(categories);
  const store = (name: string, next: readonly Category[]) => {
    const positions = changedPositions(categories, next);
    if (next === categories || positions.length === 0) return;
    const changed = new Set(positions.map(({ id }) => id));
    const former = categories
      .filter(({ id }) => changed.has(id))
      .map(({ id, sort_order, sphere }) => ({ id, sort_order, sphere }));
    void perform(async () => {
      await storeOrder(next, positions);
      notify(strings.categories.moved(name), () => storeOrder(categories, former));
    });
  };
  const drop: OnDrop = (id, target, edge) =>
    store(categories.find((one) => one.id === id)?.name ?? '', placed(categories, id, target, edge));
  return (
    <div className="stack">
      <p className="soft">{strings.categories.text}</p>
      {spheres.map((sphere, at) => (
        <section key={sphere.name ?? ''} aria-label={sphere.name ?? strings.categories.noSphere}>
          <div className="row apart lead">
            <h2 dir="auto">{sphere.name ?? <span className="soft">{strings.categories.noSphere}</span>}</h2>
            {spheres.length > 1 && (
              <span className="row tight">
                {([-1, 1] as const).map((step) => (
                  <Button
                    key={step}
                    kind="quiet"
                    icon={step === -1 ? 'up' : 'down'}
                    label={strings.categories.moveSphere(sphere.name ?? strings.categories.noSphere, step === -1)}
                    isDisabled={step === -1 ? at === 0 : at === spheres.length - 1}
                    onClick={() =>
                      store(sphere.name ?? strings.categories.noSphere, steppedSphere(categories, sphere.name, step))
                    }
                  />
                ))}
              </span>
            )}
          </div>
          <ul className="card rows">
            {sphere.categories.map((category) => (
              <CategoryRow
                key={category.id}
                category={category}
                isFirst={category === shown[0]}
                isLast={category === shown.at(-1)}
                onDrop={drop}
                onStep={(step) => store(category.name, stepped(categories, category.id, step))}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};
