import { formatMoney as formatMoneyIn } from '#contract/money.ts';
import { isDay } from './days.ts';

const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const formatNumber = (value: number): string => number.format(value);

export const formatCompact = (value: number): string => (value < 10_000 ? number.format(value) : compact.format(value));

export const formatPercent = (share: number): string => percent.format(share);

/** @param text yyyy-mm-dd; another text stays as it is. */
export const formatDay = (text: string): string => (isDay(text) ? day.format(new Date(text)) : text);

/** A day without its year, for the heads of narrow columns. */
export const formatDayOfMonth = (text: string): string => dayOfMonth.format(new Date(text));

/** @param yearAndMonth yyyy-mm. */
export const formatMonth = (yearAndMonth: string): string => month.format(new Date(yearAndMonth));

/** The day of a time where the reader is. */
export const formatLocalDay = (time: string): string => localDay.format(new Date(time));

export const formatTime = (time: string): string => dayAndTime.format(new Date(time));

/** An amount in the smallest unit that Stripe has for a currency, in the language of the browser. */
export const formatMoney = (amount: number, currency: string): string => formatMoneyIn(amount, currency);

const UNITS = [
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A time as a distance from now; a date when it is more than a day away. */
export const formatAge = (time: string): string => {
  const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
  if (Math.abs(seconds) > 86_400) return formatLocalDay(time);
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
};

/** A number with its noun: `1 listing`, `2 listings`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : plural}`;

/** A name of the contract in words: `long_description` is `Long description`. */
export const words = (name: string): string => {
  const [first = '', ...others] = name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return `${first.toUpperCase()}${others.join('').toLowerCase()}`.replace(/\burl\b/gi, 'URL').replace(/\bid\b/gi, 'ID');
};

/** The host of a URL, without `www.`. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^www\./, '') ?? url;
