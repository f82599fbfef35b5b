import file from '../../docs/prices.json' with { type: 'json' };

type PriceName = keyof typeof file.prices;

/** Date and region of the prices. */
export const { asOf, region } = file;

/** Price per unit in dollars; `docs/prices.json` states the unit and the source. */
export const price = (name: PriceName): number => file.prices[name].value;
