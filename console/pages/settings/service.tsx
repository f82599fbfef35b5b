import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatMoney, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const useSiteSettings = () =>
  useResource(['settings', 'public'], (signal) => dataOf(client.settings.readPublic({ signal })));

const ABBREVIATED: Readonly<Record<string, string>> = { ai: 'AI', mcp: 'MCP' };

export const FeaturesTab = () => (
  <Loaded query={useSiteSettings()}>
    {({ features }) => (
      <section className="card stack">
        <p className="soft">{text.featuresText}</p>
        <ul className="stack tight">
          {Object.entries(text.features).map(([name, meaning]) => {
            const isOn = (features as readonly string[]).includes(name);
            return (
              <li key={name} className="row">
                <Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? text.on : text.off}</Badge>
                <strong>{ABBREVIATED[name] ?? words(name)}</strong>
                <span className="soft">{meaning}</span>
                <code className="small soft push" title={text.switchedBy(`FEATURE_${name.toUpperCase()}`)}>
                  FEATURE_{name.toUpperCase()}
                </code>
              </li>
            );
          })}
        </ul>
      </section>
    )}
  </Loaded>
);

const bytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 });

const limitOf = (name: string, value: string | number): string => {
  if (typeof value === 'string') return words(value);
  return name.includes('bytes') ? bytes.format(value / 1000) : formatNumber(value);
};

type Group = keyof typeof text.limitGroups;

/** The limits by group, in its order. */
const GROUPED = {
  lists: ['page_size_default', 'page_size_max', 'map_items_max', 'bulk_max'],
  listings: [
    'name_length_max',
    'description_length_max',
    'long_description_length_max',
    'slug_length_max',
    'url_length_max',
    'categories_min',
    'categories_max',
    'tags_max',
    'tag_length_max',
    'screenshots_max',
    'address_length_max',
  ],
  texts: ['comment_length_max', 'bio_length_max', 'reason_length_max', 'rating_min', 'rating_max'],
  fields: [
    'fields_max',
    'filterable_fields_max',
    'sortable_fields_max',
    'searchable_fields_max',
    'field_options_max',
    'field_values_bytes_max',
  ],
  requests: ['body_bytes_max', 'import_file_bytes_max'],
  moderation: ['live_edits', 'verified_email_required'],
} as const satisfies Readonly<Record<Exclude<Group, 'other'>, readonly string[]>>;

/** The variables that set limits and prices; the contract sets the others. */
const VARIABLES: Readonly<Record<string, string>> = {
  live_edits: 'LIVE_EDITS',
  verified_email_required: 'VERIFIED_EMAIL_REQUIRED',
};

const groupOf = (name: string): Group =>
  (Object.keys(GROUPED) as (keyof typeof GROUPED)[]).find((group) =>
    (GROUPED[group] as readonly string[]).includes(name),
  ) ?? 'other';

const Fact = ({
  name,
  value,
  variable,
}: {
  readonly name: string;
  readonly value: string;
  readonly variable?: string | undefined;
}) => (
  <div className="contents">
    <dt>
      {name}
      {variable !== undefined && (
        <>
          {' '}
          <code className="small soft">{variable}</code>
        </>
      )}
    </dt>
    <dd className="number">{value}</dd>
  </div>
);

export const LimitsTab = () => (
  <Loaded query={useSiteSettings()}>
    {({ limits, plans, promotion_prices }) => {
      const all = Object.groupBy(Object.entries(limits), ([name]) => groupOf(name));
      return (
        <div className="stack">
          <p className="soft">{text.limitsText}</p>
          <div className="grid">
            {(Object.keys(text.limitGroups) as Group[]).map((group) => {
              const { [group]: entries } = all;
              return (
                entries && (
                  <section key={group} className="card stack tight">
                    <h2>{text.limitGroups[group]}</h2>
                    <dl className="facts">
                      {entries.map(([name, value]) => (
                        <Fact
                          key={name}
                          name={text.limitNames[name] ?? words(name)}
                          value={limitOf(name, value)}
                          variable={VARIABLES[name]}
                        />
                      ))}
                    </dl>
                  </section>
                )
              );
            })}
            <section className="card stack tight">
              <h2>{text.prices}</h2>
              <dl className="facts">
                {plans.map(({ id, price, currency }) => (
                  <Fact
                    key={id}
                    name={strings.plan[id]}
                    value={formatMoney(price, currency)}
                    variable={id === 'premium' ? 'PREMIUM_PRICE' : undefined}
                  />
                ))}
                {promotion_prices?.placements.map(({ placement, price }) => (
                  <Fact
                    key={placement}
                    name={words(placement)}
                    value={text.perMonth(formatMoney(price, promotion_prices.currency))}
                    variable={`PROMOTION_PRICE_${placement.toUpperCase()}`}
                  />
                ))}
              </dl>
            </section>
          </div>
        </div>
      );
    }}
  </Loaded>
);
