import { type Hours, weekdays } from '#contract/custom-fields.ts';
import { Icon } from '../components/icons.tsx';
import { formatsOf } from '../context.ts';
import { ListInput, type Problems, problemOf, TextInput } from './inputs.tsx';
import { t } from './messages.ts';

type Day = (typeof weekdays)[number];

const SPANS_MAX = 4;

const emptyWeek = (): Hours => ({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, week: {}, closed: [] });

const withDay = (hours: Hours, day: Day, spans: string[][]): Hours => {
  const { [day]: _, ...others } = hours.week;
  return { ...hours, week: spans.length === 0 ? others : { ...others, [day]: spans } };
};

const { weekday } = formatsOf(document.documentElement.lang);

/** Opening hours as a week, with the time zone and the dates on which it is closed. */
export const HoursInput = ({
  name,
  label,
  value,
  problems,
  onChange,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: Hours | null;
  readonly problems: Problems;
  readonly onChange: (value: Hours | null) => void;
}) => {
  const problem = problemOf(problems, name);
  const problemId = `input-${name.replaceAll('.', '-')}-problem`;
  const hours = value ?? emptyWeek();
  const spansOf = (day: Day): string[][] => hours.week[day] ?? [];
  const timeOf = (day: Day, at: number, end: 0 | 1, time: string) => {
    const key = end === 0 ? 'submit.hours.from' : 'submit.hours.until';
    return (
      <input
        type="time"
        aria-label={t(key, { day: weekday(weekdays.indexOf(day)), number: at + 1 })}
        value={time}
        onInput={({ currentTarget }) =>
          onChange(
            withDay(
              hours,
              day,
              spansOf(day).map((span, one) => (one === at ? span.with(end, currentTarget.value) : span)),
            ),
          )
        }
      />
    );
  };
  return (
    <fieldset class="field" aria-describedby={problem === undefined ? undefined : problemId}>
      <legend dir="auto">{label}</legend>
      <ul class="week">
        {weekdays.map((day, index) => (
          <li key={day}>
            <span class="week-day">{weekday(index)}</span>
            <span class="spans">
              {spansOf(day).length === 0 && <span class="soft">{t('field.closed')}</span>}
              {spansOf(day).map(([from = '', until = ''], at) => (
                <span key={at} class="span">
                  {timeOf(day, at, 0, from)}
                  <span aria-hidden="true">–</span>
                  {timeOf(day, at, 1, until)}
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={t('submit.hours.remove', { day: weekday(index), number: at + 1 })}
                    onClick={() => onChange(withDay(hours, day, spansOf(day).toSpliced(at, 1)))}
                  >
                    <Icon name="close" />
                  </button>
                </span>
              ))}
              {spansOf(day).length < SPANS_MAX && (
                <button
                  type="button"
                  class="icon-button"
                  name={index === 0 ? name : undefined}
                  aria-label={t('submit.hours.add', { day: weekday(index) })}
                  onClick={() => onChange(withDay(hours, day, [...spansOf(day), ['09:00', '17:00']]))}
                >
                  <Icon name="plus" />
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {value !== null && (
        <>
          <div class="field-row">
            <TextInput
              name={`${name}.zone`}
              label={t('submit.hours.zone')}
              value={hours.zone}
              problems={{}}
              onChange={(zone) => onChange({ ...hours, zone })}
            />
            <ListInput
              name={`${name}.closed`}
              label={t('submit.hours.closed')}
              hint={t('submit.hours.closed.hint')}
              separator=","
              value={hours.closed}
              problems={{}}
              onChange={(closed) => onChange({ ...hours, closed: [...closed] })}
            />
          </div>
          <p>
            <button type="button" class="link-button" onClick={() => onChange(null)}>
              {t('submit.hours.clear')}
            </button>
          </p>
        </>
      )}
      {problem !== undefined && (
        <p class="problem" id={problemId}>
          {problem}
        </p>
      )}
    </fieldset>
  );
};
