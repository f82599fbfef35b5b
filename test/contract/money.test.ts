import { describe, expect, it } from 'vitest';
import { decimalsOf, formatMoney, moneyInText, priceProblem, roundToStep, stepOf } from '#contract/money.ts';
import { formatMoney as formatInConsole } from '../../console/format.ts';

/** Amounts as Stripe counts them: https://docs.stripe.com/currencies. */

const NONE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const THREE = 'BHD JOD KWD OMR TND'.split(' ');
const WHOLE = ['ISK', 'UGX'];

/** All that `Intl` knows, those of the tables among them, and two that it does not. */
const currencies = [...Intl.supportedValuesOf('currency'), 'QQQ', 'ZZZ'];

it('the tables have currencies that exist', () => {
  expect([...NONE, ...THREE, ...WHOLE].filter((code) => !currencies.includes(code))).toEqual([]);
});

describe.each(currencies)('%s', (currency) => {
  const decimals = NONE.includes(currency) ? 0 : THREE.includes(currency) ? 3 : 2;
  const step = WHOLE.includes(currency) ? 100 : THREE.includes(currency) ? 10 : 1;

  it('has the decimals of Stripe and the step of its amounts, in any case of its letters', () => {
    for (const code of [currency, currency.toLowerCase()]) {
      expect([decimalsOf(code), stepOf(code)]).toEqual([decimals, step]);
    }
  });

  it('is shown with all of its decimals in every language and form', () => {
    const digits = '1234567890';
    const whole = digits.slice(0, digits.length - decimals);
    for (const locale of ['en', 'de', 'es', 'fr', 'en-IN', 'de-CH', undefined]) {
      for (const currencyDisplay of ['code', 'symbol'] as const) {
        const shown = formatMoney(Number(digits), currency, { locale, currencyDisplay });
        // The digits in the order in which they are read, and those after the last sign between two of them.
        expect(shown.replaceAll(/\D/g, '')).toBe(digits);
        expect(/\d+(?=\D*$)/.exec(shown)?.[0]).toHaveLength(decimals === 0 ? 3 : decimals);
        expect(formatMoney(-Number(digits), currency, { locale, currencyDisplay }).replaceAll(/\D/g, '')).toBe(digits);
      }
    }
    expect(moneyInText(Number(digits), currency)).toBe(
      `${currency} ${Number(whole).toLocaleString('en')}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`,
    );
  });

  it('takes multiples of its step, to which amounts are rounded', () => {
    for (const amount of [0, 1, 4, 5, 49, 50, 8890, 8889.5, 99_999_999]) {
      const rounded = roundToStep(amount, currency);
      expect(priceProblem(rounded, currency)).toBeUndefined();
      expect(Math.abs(rounded - amount)).toBeLessThanOrEqual(step / 2);
      expect(roundToStep(rounded, currency)).toBe(rounded);
    }
    // The defaults of all prices.
    for (const price of [4900, 6900, 3900, 1900]) expect(priceProblem(price, currency)).toBeUndefined();
  });
});

it.each([
  [6900, 'usd', 'USD 69.00'],
  [1, 'eur', 'EUR 0.01'],
  [123_456_700, 'chf', 'CHF 1,234,567.00'],
  [500, 'jpy', 'JPY 500'],
  [1234, 'kwd', 'KWD 1.234'],
  [690_000, 'huf', 'HUF 6,900.00'],
  [690_000, 'isk', 'ISK 6,900.00'],
  [100, 'twd', 'TWD 1.00'],
  [-4900, 'usd', '-USD 49.00'],
  [0, 'usd', 'USD 0.00'],
  [999_999_999_999_999, 'usd', 'USD 9,999,999,999,999.99'],
])('an amount of %i %s is formatted as %s', (amount, currency, formatted) => {
  expect(moneyInText(amount, currency)).toBe(formatted);
});

it('is shown in the language and with the sign that are asked for', () => {
  expect(formatMoney(690_050, 'eur', { locale: 'de' })).toBe('6.900,50\u00a0€');
  expect(formatMoney(690_050, 'usd', { locale: 'en' })).toBe('$6,900.50');
});

it('is shown in the console as everywhere, in the language of the reader', () => {
  expect(formatInConsole(690_000, 'huf')).toBe(formatMoney(690_000, 'huf'));
  expect(formatInConsole(690_000, 'huf')).toMatch(/6\D?900\D00/);
});

it.each(['', 'us', 'usdt', 'u$d', '__proto__', 'constructor'])(
  'shows an amount in %j, which is no currency',
  (text) => {
    expect(moneyInText(4900, text)).toBe(`49.00 ${text}`);
    expect(stepOf(text)).toBe(1);
  },
);

it.each([
  [4950, 'isk', 'must be a multiple of 100, because 4950 is ISK 49.50, which Stripe does not charge'],
  [1, 'UGX', 'must be a multiple of 100, because 1 is UGX 0.01, which Stripe does not charge'],
  [5124, 'kwd', 'must be a multiple of 10, because 5124 is KWD 5.124, which Stripe does not charge'],
])('tells why %i %s is no price', (amount, currency, problem) => {
  expect(priceProblem(amount, currency)).toBe(problem);
});
