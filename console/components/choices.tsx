import { type ReactNode, useId } from 'react';
import { Checkbox } from './fields.tsx';

/** Any number of options. */
export const Choices = <Value extends string>({
  legend,
  options,
  value,
  onChange,
  errors = [],
}: {
  readonly legend: string;
  readonly options: readonly (readonly [Value, ReactNode])[];
  readonly value: readonly Value[];
  readonly onChange: (value: readonly Value[]) => void;
  readonly errors?: readonly string[];
}) => {
  const id = useId();
  return (
    <fieldset className="stack tight" aria-describedby={errors.length > 0 ? id : undefined}>
      <legend className="label">{legend}</legend>
      {options.map(([option, label]) => (
        <Checkbox
          key={option}
          label={label}
          isChecked={value.includes(option)}
          onChange={(isOn) => onChange(isOn ? [...value, option] : value.filter((one) => one !== option))}
        />
      ))}
      {errors.length > 0 && (
        <span className="field-error" id={id}>
          {errors.join('. ')}
        </span>
      )}
    </fieldset>
  );
};
