import { type ReactNode, useEffect, useId, useState } from 'react';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Field } from './fields.tsx';

export interface Option {
  readonly value: string;
  readonly label: string;
}

/**
 * A filter by a record: searched by name, shown by name. `Enter` takes what was typed as it is, such as an id.
 * @param useOptions reads the records that match a text.
 */
export const PickField = ({
  name,
  value,
  chosen,
  useOptions,
  onChange,
}: {
  readonly name: string;
  /** Empty for none. */
  readonly value: string;
  /** The name of the chosen record. */
  readonly chosen: ReactNode;
  readonly useOptions: (text: string) => readonly Option[];
  readonly onChange: (value: string) => void;
}) => {
  const [typed, setTyped] = useState('');
  const list = useId();
  const options = useOptions(value === '' ? typed.trim() : '');
  // A browser fills in the value of a suggestion that is picked.
  const picked = options.find((option) => option.value === typed.trim())?.value;
  useEffect(() => {
    if (picked === undefined) return;
    setTyped('');
    onChange(picked);
  }, [picked, onChange]);
  if (value !== '') {
    return (
      <Field name={name}>
        {({ id }) => (
          <output id={id} className="chip picked">
            <span className="truncate">{chosen}</span>
            <Button
              kind="quiet"
              icon="close"
              label={strings.fields.remove(strings.fields.filter(name))}
              onClick={() => onChange('')}
            />
          </output>
        )}
      </Field>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const [only] = options;
        onChange(options.length === 1 && only ? only.value : typed.trim());
        setTyped('');
      }}
    >
      <Field name={name}>
        {(control) => (
          <>
            <input
              {...control}
              className="input"
              type="search"
              list={list}
              value={typed}
              autoComplete="off"
              placeholder={strings.fields.pickHint}
              onChange={(event) => setTyped(event.target.value)}
            />
            <datalist id={list}>
              {options.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.label}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </form>
  );
};
