import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatMoney, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';

const useSiteSettings = () =>
  useResource(['settings', 'public'], (signal) => dataOf(client.settings.readPublic({ signal })));

export const FeaturesTab = () => (
  <Loaded query={useSiteSettings()}>
    {({ features }) => (
      <section className="card stack">
        <p className="soft">{strings.settings.featuresText}</p>
        <ul className="stack tight">
          {Object.entries(strings.settings.features).map(([name, text]) => {
            const isOn = (features as readonly string[]).includes(name);
            return (
              <li key={name} className="row">
                <Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? strings.settings.on : strings.settings.off}</Badge>
                <strong>{name === 'ai' ? 'AI' : words(name)}</strong>
                <span className="soft">{text}</span>
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

export const LimitsTab = () => (
  <Loaded query={useSiteSettings()}>
    {({ limits, plans, promotion_prices }) => (
      <div className="grid">
        <section className="card stack">
          <h2>{strings.settings.limits}</h2>
          <p className="soft">{strings.settings.limitsText}</p>
          <dl className="facts">
            {Object.entries(limits).map(([name, value]) => (
              <div key={name} style={{ display: 'contents' }}>
                <dt>{words(name)}</dt>
                <dd className="number">{limitOf(name, value)}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section className="card stack">
          <h2>{strings.settings.prices}</h2>
          <dl className="facts">
            {plans.map(({ id, price, currency }) => (
              <div key={id} style={{ display: 'contents' }}>
                <dt>{strings.plan[id]}</dt>
                <dd className="number">{formatMoney(price, currency)}</dd>
              </div>
            ))}
            {promotion_prices?.placements.map(({ placement, price }) => (
              <div key={placement} style={{ display: 'contents' }}>
                <dt>{words(placement)}</dt>
                <dd className="number">{strings.settings.perMonth(formatMoney(price, promotion_prices.currency))}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    )}
  </Loaded>
);
