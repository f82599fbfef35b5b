// Amounts of money as Stripe counts them: whole numbers of the smallest unit that its API has for a currency. `Intl` has the
// decimals of CLDR, which are others for 19 currencies, HUF, IDR and ISK among them: 690000 in HUF is 6,900.00, not 690,000.
// The tables are those of https://docs.stripe.com/currencies.

const WITHOUT_DECIMALS = /^(?:BIF|CLP|DJF|GNF|JPY|KMF|KRW|MGA|PYG|RWF|VND|VUV|XAF|XOF|XPF)$/i;

/** Stripe's partners take two of the three decimals, so the last digit of an amount must be 0. */
const THREE_DECIMALS = /^(?:BHD|JOD|KWD|OMR|TND)$/i;

/** Currencies that lost their decimals: Stripe's API still has two of them, which must be 00. */
const WHOLE_UNITS = /^(?:ISK|UGX)$/i;

/** The unit of amounts, as the end of descriptions. */
export const AMOUNT_UNIT =
  'in the smallest unit that Stripe has for the currency, such as cents (https://docs.stripe.com/currencies)';

/** The number of decimals of amounts in a currency: 0, 2 or 3. @param currency ISO 4217 in any case; an unknown one has two. */
export const decimalsOf = (currency: string): number => {
  if (WITHOUT_DECIMALS.test(currency)) return 0;
  return THREE_DECIMALS.test(currency) ? 3 : 2;
};

/** What amounts in a currency must be a multiple of, in its smallest unit: 1, 10 or 100. @param currency as in `decimalsOf`. */
export const stepOf = (currency: string): number => {
  if (WHOLE_UNITS.test(currency)) return 100;
  return THREE_DECIMALS.test(currency) ? 10 : 1;
};

/**
 * The nearest amount that Stripe charges; the larger one of two.
 * @param amount in the smallest unit of the currency, not negative; may have a fraction.
 */
export const roundToStep = (amount: number, currency: string): number => {
  const step = stepOf(currency);
  return Math.round(amount / step) * step;
};

interface MoneyFormat {
  /** A BCP 47 tag; that of the reader when absent. */
  readonly locale?: string | undefined;
  /** The sign of the currency when absent. */
  readonly currencyDisplay?: 'code' | 'symbol';
}

/**
 * An amount with its currency and all of its decimals, such as `$69.00`.
 * @param amount in the smallest unit of the currency; may be negative. Above 10^15 the last digits are rounded.
 * @param currency ISO 4217 in any case. Another text, as a provider may report one, follows the number as it is.
 */
export const formatMoney = (
  amount: number,
  currency: string,
  { locale, currencyDisplay }: MoneyFormat = {},
): string => {
  const digits = decimalsOf(currency);
  const value = amount / 10 ** digits;
  // `Intl` takes any three letters for a currency and throws for everything else.
  if (!/^[a-z]{3}$/i.test(currency)) return `${value.toFixed(digits)} ${currency}`;
  return value.toLocaleString(locale, {
    style: 'currency',
    currency,
    currencyDisplay,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
};

/** An amount in an English text, with the code of its currency and plain spaces, such as `USD 69.00`. @see formatMoney */
export const moneyInText = (amount: number, currency: string): string =>
  formatMoney(amount, currency, { locale: 'en', currencyDisplay: 'code' }).replaceAll(/\s+/g, ' ');

/**
 * Why Stripe would refuse a price, as the end of a sentence that begins with the name of a setting; undefined for a price that
 * it charges.
 * @param amount in the smallest unit of the currency.
 */
export const priceProblem = (amount: number, currency: string): string | undefined => {
  const step = stepOf(currency);
  if (amount % step === 0) return undefined;
  return `must be a multiple of ${step}, because ${amount} is ${moneyInText(amount, currency)}, which Stripe does not charge`;
};
