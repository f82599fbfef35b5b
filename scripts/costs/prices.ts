import file from '../../docs/prices.json' with { type: 'json' };

type PriceName = keyof typeof file.prices;

/** When and where the prices hold. */
export const { asOf, region } = file;

/** What one unit of something costs, in dollars; `docs/prices.json` says what a unit is, and where the price stands. */
export const price = (name: PriceName): number => file.prices[name].value;
