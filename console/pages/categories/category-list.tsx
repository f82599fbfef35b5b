import { Link } from 'wouter';
import type { Category } from '#contract/categories.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { OrderedRow } from '../../components/ordered-row.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Edge } from '../../components/use-dragging.ts';
import { formatNumber } from '../../format.ts';
import { CategoryIcon } from './category-icon.tsx';
import { storeOrder } from './changes.ts';
import { changedPositions, placed, shownOrder, spheresOf, stepped, steppedSphere } from './order.ts';
import { text } from './strings.ts';

type OnDrop = (id: string, target: string, edge: Edge) => void;

const Facts = ({ category: { slug, description, project_count } }: { readonly category: Category }) => (
  <span>
    <Link
      href={`/listings?category=${encodeURIComponent(slug)}&status=live`}
      className="category-link"
      draggable={false}
    >
      {text.count(formatNumber(project_count), project_count)}
    </Link>
    {description !== null && (
      <>
        {' · '}
        <bdi>{description}</bdi>
      </>
    )}
  </span>
);

/** The categories by sphere; dragging and buttons change their order. */
export const CategoryList = ({ categories }: { readonly categories: readonly Category[] }) => {
  const [parameters, change] = useUrl();
  const q = parameters.get('q') ?? '';
  const isFound = ({ name, slug }: Category) => `${name} ${slug}`.toLowerCase().includes(q.toLowerCase());
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
      notify(text.moved(name), () => storeOrder(categories, former));
    });
  };
  const drop: OnDrop = (id, target, edge) =>
    store(categories.find((one) => one.id === id)?.name ?? '', placed(categories, id, target, edge));
  return (
    <div className="stack">
      <div className="filter-bar">
        <SearchField value={q} onSearch={(next) => change({ q: next }, { replace: true })} />
        <p className="soft">{text.text}</p>
      </div>
      {!categories.some(isFound) && <EmptyState title={text.noMatch} />}
      {spheres.map((sphere, at) => (
        // Spheres keep their buttons and places while a search leaves out others.
        <section
          hidden={!sphere.categories.some(isFound)}
          key={sphere.name ?? ''}
          aria-label={sphere.name ?? text.noSphere}
        >
          <div className="row apart lead">
            <h2 dir="auto">{sphere.name ?? <span className="soft">{text.noSphere}</span>}</h2>
            {spheres.length > 1 && (
              <span className="row tight">
                {([-1, 1] as const).map((step) => (
                  <Button
                    key={step}
                    kind="quiet"
                    icon={step === -1 ? 'up' : 'down'}
                    label={text.moveSphere(sphere.name ?? text.noSphere, step === -1)}
                    isDisabled={step === -1 ? at === 0 : at === spheres.length - 1}
                    onClick={() => store(sphere.name ?? text.noSphere, steppedSphere(categories, sphere.name, step))}
                  />
                ))}
              </span>
            )}
          </div>
          <ul className="card rows">
            {sphere.categories.filter(isFound).map((category) => (
              <OrderedRow
                key={category.id}
                id={category.id}
                title={category.name}
                reference={category.slug}
                icon={<CategoryIcon category={category} />}
                isFirst={category === shown[0]}
                isLast={category === shown.at(-1)}
                onDrop={drop}
                onStep={(step) => store(category.name, stepped(categories, category.id, step))}
                actions={<Button onClick={() => change({ open: category.id, action: 'merge' })}>{text.merge}</Button>}
                onDelete={() => change({ open: category.id, action: 'delete' })}
              >
                <Facts category={category} />
              </OrderedRow>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};
