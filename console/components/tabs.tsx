import { Link } from 'wouter';

/** The parts of a page; the open one is in the URL. */
export const Tabs = <Id extends string>({
  label,
  tabs,
  current,
  hrefOf,
}: {
  readonly label: string;
  readonly tabs: readonly (readonly [id: Id, text: string])[];
  readonly current: Id;
  readonly hrefOf: (id: Id) => string;
}) => (
  // A group and no landmark: the page has one navigation.
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
  <div className="tabs" role="group" aria-label={label}>
    {tabs.map(([id, text]) => (
      <Link key={id} href={hrefOf(id)} aria-current={id === current}>
        {text}
      </Link>
    ))}
  </div>
);
