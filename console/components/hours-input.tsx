import { useId } from 'react';
import type { Hours } from '#contract/custom-fields.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Field, ListField, TextField } from './fields.tsx';

type Day = keyof typeof strings.weekdays;

const days = Object.keys(strings.weekdays) as Day[];

const SPANS_MAX = 4;

const emptyHours = (): Hours => ({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, week: {}, closed: [] });

const withDay = (hours: Hours, day: Day, spans: string[][]): Hours => {
  const { [day]: _, ...others } = hours.week;
  return { ...hours, week: spans.length === 0 ? others : { ...others, [day]: spans } };
};

/** Opening hours as a week, with the time zone and the dates on which it is closed. */
export const HoursInput = ({
  label,
  value,
  errors,
  onChange,
}: {
  readonly label: string;
  readonly value: Hours | null;
  readonly errors: readonly string[];
  readonly onChange: (value: Hours | null) => void;
}) => {
  const id = useId();
  const text = strings.hours;
  if (value === null) {
    return (
      <fieldset className="stack tight">
        <legend className="label">{label}</legend>
        <div>
          <Button icon="add" onClick={() => onChange(withDay(emptyHours(), 'mo', [['09:00', '17:00']]))}>
            {text.add}
          </Button>
        </div>
      </fieldset>
    );
  }
  const spansOf = (day: Day): string[][] => value.week[day] ?? [];
  const setTime = (day: Day, at: number, end: 0 | 1) => (time: string) =>
    onChange(
      withDay(
        value,
        day,
        spansOf(day).map((span, one) => (one === at ? span.with(end, time) : span)),
      ),
    );
  return (
    <fieldset className="stack tight" aria-describedby={errors.length > 0 ? `${id}-error` : undefined}>
      <legend className="label">{label}</legend>
      <Field name="zone" label={text.zone}>
        {(control) => (
          <>
            <input
              {...control}
              className="input"
              list={`${id}-zones`}
              value={value.zone}
              autoComplete="off"
              onChange={(event) => onChange({ ...value, zone: event.target.value })}
            />
            <datalist id={`${id}-zones`}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <ul className="stack tight">
        {days.map((day) => (
          <li key={day} className="row">
            <span className="weekday">{strings.weekdays[day]}</span>
            {spansOf(day).length === 0 && <span className="soft">{strings.fields.closed}</span>}
            {spansOf(day).map(([from = '', until = ''], at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a span is its position.
              <span key={at} className="row tight">
                <TextField
                  name={`${day}-from`}
                  label={text.from(strings.weekdays[day])}
                  value={from}
                  placeholder="09:00"
                  onChange={setTime(day, at, 0)}
                />
                <TextField
                  name={`${day}-until`}
                  label={text.until(strings.weekdays[day])}
                  value={until}
                  placeholder="17:00"
                  onChange={setTime(day, at, 1)}
                />
                <Button
                  kind="quiet"
                  icon="close"
                  label={text.removeSpan(strings.weekdays[day], at + 1)}
                  onClick={() => onChange(withDay(value, day, spansOf(day).toSpliced(at, 1)))}
                />
              </span>
            ))}
            <span className="row tight push">
              {spansOf(day).length < SPANS_MAX && (
                <Button
                  kind="quiet"
                  icon="add"
                  label={text.addSpan(strings.weekdays[day])}
                  onClick={() => onChange(withDay(value, day, [...spansOf(day), ['09:00', '17:00']]))}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button
          onClick={() =>
            onChange(
              days.slice(0, 5).reduce(
                (hours, day) =>
                  withDay(
                    hours,
                    day,
                    spansOf('mo').map((span) => [...span]),
                  ),
                value,
              ),
            )
          }
        >
          {text.copyMonday}
        </Button>
        <Button kind="danger" onClick={() => onChange(null)}>
          {text.remove}
        </Button>
      </div>
      <ListField
        name="closed"
        label={text.closedDates}
        hint={text.closedHint}
        value={value.closed}
        onChange={(closed) => onChange({ ...value, closed: [...closed] })}
      />
      {errors.length > 0 && (
        <span className="field-error" id={`${id}-error`}>
          {errors.join('. ')}
        </span>
      )}
    </fieldset>
  );
};
