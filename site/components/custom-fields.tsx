import { type CustomValue, type Field, type Hours, RANGE, weekdays } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { type SiteContext, useSite } from '../context.ts';
import { hostOf } from '../host.ts';
import type { Translate } from '../translate.ts';

interface Shown {
  readonly field: Field;
  readonly value: CustomValue;
}

/** The values of a listing by their definitions, in the order of the administrators. */
const shownFields = ({ fields }: SiteContext, project: Project): readonly Shown[] =>
  fields.flatMap((field) => {
    const value = project.fields?.[field.key];
    return value === undefined || value === null ? [] : [{ field, value }];
  });

const isHours = (value: CustomValue): value is Hours => typeof value === 'object' && !Array.isArray(value);

const spansText = (spans: Hours['week']['mo'] = []): string =>
  spans.map(([from, until]) => `${from}–${until}`).join(', ');

/** The words for an option, a truth value, or `open` of opening hours; other values stand for themselves. */
export const optionLabel = ({ type, options, label }: Field, value: string, t: Translate): string => {
  if (type === 'boolean' && (value === 'true' || value === 'false'))
    return t(value === 'true' ? 'field.yes' : 'field.no');
  if (type === 'hours' && value === 'open') return t('field.open');
  return value === '*' ? label : (options.find((one) => one.value === value)?.label ?? value);
};

/** A filter by a text, a number or a date in words. */
export const enteredLabel = ({ t, number, date }: SiteContext, field: Field, value: string): string => {
  const bound = (text: string): string => {
    if (field.type === 'date') return date(text);
    return field.type === 'number' ? number(Number(text)) : text;
  };
  const words =
    field.type === 'text'
      ? value
      : value
          .split(RANGE)
          .map((one) => (one.trim() === '' ? '' : bound(one.trim())))
          .join(' – ')
          .trim();
  return value === '*' ? field.label : t('field.filter', { field: field.label, value: words });
};

/** A value in words. */
const textOf = ({ t, number, date, weekday }: SiteContext, { field, value }: Shown): string => {
  const labelOf = (option: string) => optionLabel(field, option, t);
  if (typeof value === 'boolean') return t(value ? 'field.yes' : 'field.no');
  if (typeof value === 'number') return [number(value), field.unit ?? ''].join(' ').trim();
  if (Array.isArray(value)) return value.map(labelOf).join(', ');
  if (isHours(value)) {
    return weekdays
      .flatMap((name, index) => (value.week[name]?.length ? `${weekday(index)} ${spansText(value.week[name])}` : []))
      .join('; ');
  }
  return field.type === 'date' ? date(value) : labelOf(value);
};

const OpeningHours = ({ hours }: { readonly hours: Hours }) => {
  const { t, date, weekday } = useSite();
  return (
    <>
      <table class="hours">
        <tbody>
          {weekdays.map((name, index) => (
            <tr key={name}>
              <th scope="row">{weekday(index)}</th>
              <td>{spansText(hours.week[name]) || t('field.closed')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hours.closed.length > 0 && (
        <p class="soft">{t('field.closedOn', { dates: hours.closed.map(date).join(', ') })}</p>
      )}
      <p class="soft">{t('field.zone', { zone: hours.zone.replaceAll('_', ' ') })}</p>
    </>
  );
};

const Value = ({ field, value }: Shown) => {
  const site = useSite();
  if (isHours(value)) return <OpeningHours hours={value} />;
  if (typeof value === 'string') {
    if (field.type === 'url') {
      return (
        <a href={value} rel="nofollow ugc noopener" target="_blank" dir="ltr">
          {hostOf(value)}
        </a>
      );
    }
    if (field.type === 'email') return <a href={`mailto:${encodeURIComponent(value)}`}>{value}</a>;
    if (field.type === 'phone') return <a href={`tel:${value.replaceAll(/[^\d+]/g, '')}`}>{value}</a>;
    if (field.type === 'long_text') return <span class="lines">{value}</span>;
  }
  return <>{textOf(site, { field, value })}</>;
};

/** The values of the further fields of a listing, for its list of facts. */
export const FieldFacts = ({ project }: { readonly project: Project }) => (
  <>
    {shownFields(useSite(), project).map(({ field, value }) => [
      <dt key={`${field.id} label`} dir="auto">
        {field.label}
      </dt>,
      <dd key={field.id} dir="auto">
        <Value field={field} value={value} />
      </dd>,
    ])}
  </>
);

/** The values that the administrators show in lists. What a listing does not have, a yes or no, is not shown. */
export const CardFields = ({ project }: { readonly project: Project }) => {
  const site = useSite();
  const shown = shownFields(site, project).filter(({ field, value }) => field.in_card && value !== false);
  if (shown.length === 0) return null;
  return (
    <dl class="card-fields">
      {shown.map(({ field, value }) => (
        <div key={field.id}>
          <dt class={value === true ? undefined : 'visually-hidden'} dir="auto">
            {field.label}
          </dt>
          <dd class={value === true ? 'visually-hidden' : undefined} dir="auto">
            {textOf(site, { field, value })}
          </dd>
        </div>
      ))}
    </dl>
  );
};
