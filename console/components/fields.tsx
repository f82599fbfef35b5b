import { type HTMLInputTypeAttribute, type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react';
import { words } from '../format.ts';
import * as strings from '../strings.ts';

interface FieldProps<Value> {
  /** The name in the contract; the label is this name in words. */
  readonly name: string;
  readonly label?: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly errors?: readonly string[];
  readonly hint?: ReactNode;
  readonly isDisabled?: boolean;
}

interface ControlProps {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** A label, its control, a hint and the messages about the value. */
export const Field = <Value,>({
  name,
  label = words(name),
  errors = [],
  hint,
  isDisabled = false,
  children,
}: Pick<FieldProps<Value>, 'name' | 'label' | 'errors' | 'hint' | 'isDisabled'> & {
  readonly children: (control: ControlProps) => ReactNode;
}) => {
  const id = useId();
  const describedBy = [...(errors.length > 0 ? [`${id}-error`] : []), ...(hint === undefined ? [] : [`${id}-hint`])];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        disabled: isDisabled,
        'aria-invalid': errors.length > 0,
        'aria-describedby': describedBy.join(' ') || undefined,
      })}
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {errors.length > 0 && (
        <span className="field-error" id={`${id}-error`}>
          {errors.join('. ')}
        </span>
      )}
    </div>
  );
};

export const TextField = ({
  value,
  onChange,
  type = 'text',
  placeholder,
  step,
  inputRef,
  suggestions,
  ...field
}: FieldProps<string> & {
  /** Values that the browser offers, with their labels. */
  readonly suggestions?: readonly { readonly value: string; readonly label: string }[];
  readonly type?: HTMLInputTypeAttribute;
  /** `any` for numbers with decimals. */
  readonly step?: 'any';
  readonly placeholder?: string;
  readonly inputRef?: Ref<HTMLInputElement>;
}) => (
  <Field {...field}>
    {(control) => (
      <>
        <input
          {...control}
          ref={inputRef}
          className="input"
          type={type}
          list={suggestions && `${control.id}-list`}
          value={value}
          placeholder={placeholder}
          step={step}
          dir="auto"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
        {suggestions && (
          <datalist id={`${control.id}-list`}>
            {suggestions.map((one) => (
              <option key={one.value} value={one.value}>
                {one.label}
              </option>
            ))}
          </datalist>
        )}
      </>
    )}
  </Field>
);

/** The first and the last day of a filter. @param isUtc they are UTC days, in place of days of the reader. */
export const DayFields = ({
  isUtc = false,
  onChange,
  ...days
}: {
  /** Both are yyyy-mm-dd, and empty without one. */
  readonly from: string;
  readonly to: string;
  readonly isUtc?: boolean;
  readonly onChange: (name: 'from' | 'to', day: string) => void;
}) =>
  (['from', 'to'] as const).map((name) => (
    <TextField
      key={name}
      name={name}
      label={isUtc ? strings.inUtc(words(name)) : words(name)}
      type="date"
      value={days[name]}
      onChange={(day) => onChange(name, day)}
    />
  ));

export const TextArea = ({
  value,
  onChange,
  rows = 3,
  inputRef,
  onKeyDown,
  ...field
}: FieldProps<string> & {
  readonly rows?: number;
  readonly inputRef?: Ref<HTMLTextAreaElement>;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}) => (
  <Field {...field}>
    {(control) => (
      <textarea
        {...control}
        ref={inputRef}
        className="input"
        rows={rows}
        value={value}
        dir="auto"
        onKeyDown={onKeyDown}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
);

export const SelectField = <Value extends string>({
  value,
  onChange,
  options,
  ...field
}: FieldProps<Value> & {
  readonly options: readonly (readonly [Value, string])[];
}) => (
  <Field {...field}>
    {(control) => (
      <select {...control} className="input" value={value} onChange={(event) => onChange(event.target.value as Value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const Checkbox = ({
  label,
  isChecked,
  onChange,
  isDisabled = false,
}: {
  readonly label: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isDisabled?: boolean;
}) => (
  <label className="check">
    <input
      type="checkbox"
      checked={isChecked}
      disabled={isDisabled}
      onChange={(event) => onChange(event.target.checked)}
    />
    {label}
  </label>
);

/** A list of texts: `Enter` adds one. @param suggestions are offered while typing. */
export const ListField = ({
  value,
  onChange,
  suggestions,
  labelOf = (one) => one,
  ...field
}: FieldProps<readonly string[]> & {
  readonly suggestions?: readonly string[];
  readonly labelOf?: (value: string) => string;
}) => {
  const [typed, setTyped] = useState('');
  const id = useId();
  const add = (text: string) => {
    const entry = suggestions?.find((one) => labelOf(one).toLowerCase() === text.trim().toLowerCase()) ?? text.trim();
    if (entry !== '' && !value.includes(entry)) onChange([...value, entry]);
    setTyped('');
  };
  return (
    <Field {...field} hint={field.hint ?? strings.fields.listHint}>
      {(control) => (
        <>
          {value.length > 0 && (
            <ul className="chips">
              {value.map((one) => (
                <li key={one} className="chip">
                  {labelOf(one)}
                  <button
                    type="button"
                    aria-label={strings.fields.remove(labelOf(one))}
                    disabled={control.disabled}
                    onClick={() => onChange(value.filter((other) => other !== one))}
                  >
                    ×
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            className="input"
            value={typed}
            list={suggestions && `${id}-list`}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => add(typed)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return;
              event.preventDefault();
              add(typed);
            }}
          />
          {suggestions && (
            <datalist id={`${id}-list`}>
              {suggestions.map((one) => (
                <option key={one} value={labelOf(one)} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
};
