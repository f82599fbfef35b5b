import type { CustomValue, Field, Hours } from '#contract/custom-fields.ts';
import { formatDay, formatNumber } from '../format.ts';
import * as strings from '../strings.ts';

const isHours = (value: CustomValue): value is Hours => typeof value === 'object' && !Array.isArray(value);

const days = Object.keys(strings.weekdays) as (keyof typeof strings.weekdays)[];

const textOfHours = ({ zone, week, closed }: Hours): string =>
  [
    ...days.flatMap((day) => {
      const spans = week[day] ?? [];
      return spans.length === 0
        ? []
        : [`${strings.weekdays[day]} ${spans.map(([from, until]) => `${from}–${until}`).join(', ')}`];
    }),
    ...(closed.length === 0 ? [] : [`${strings.fields.closed} ${closed.join(', ')}`]),
    zone,
  ].join('; ');

/** A value in words. Without its definition, as a moderator may see it, it is printed as it is stored. */
export const textOfCustom = (value: CustomValue, field?: Field): string => {
  const labelOf = (option: string) => field?.options.find((one) => one.value === option)?.label ?? option;
  if (typeof value === 'boolean') return value ? strings.fields.yes : strings.fields.no;
  if (typeof value === 'number') return [formatNumber(value), field?.unit ?? ''].join(' ').trim();
  if (Array.isArray(value)) return value.map(labelOf).join(', ');
  if (isHours(value)) return textOfHours(value);
  return field?.type === 'date' ? formatDay(value) : labelOf(value);
};

/** A value for reading; an address is a link. */
export const CustomValueText = ({
  value,
  field,
}: {
  readonly value: CustomValue;
  readonly field?: Field | undefined;
}) =>
  field?.type === 'url' && typeof value === 'string' ? (
    <a href={value} rel="noopener noreferrer nofollow" target="_blank">
      {value}
    </a>
  ) : (
    textOfCustom(value, field)
  );
