import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { joinWithCommas, splitAtCommas } from '#contract/comma-list.ts';
import { t } from './messages.ts';

/** What is wrong with the values, by the names of the inputs. */
export type Problems = Readonly<Record<string, string>>;

/** The message for an input, or for a part of its value. */
export const problemOf = (problems: Problems, name: string): string | undefined =>
  problems[name] ?? Object.entries(problems).find(([path]) => path.startsWith(`${name}.`))?.[1];

interface Described {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problems: Problems;
  readonly isRequired?: boolean;
}

const idOf = (name: string): string => `input-${name.replaceAll('.', '-')}`;

/** The attributes of an input that connect it with its label, hint and problem. */
const attributesOf = ({ name, hint, problems, isRequired }: Described) => {
  const id = idOf(name);
  const problem = problemOf(problems, name);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return {
    id,
    name,
    ...(described !== '' && { 'aria-describedby': described }),
    ...(problem !== undefined && { 'aria-invalid': true }),
    ...(isRequired && { required: true }),
  };
};

const Notes = ({ name, hint, problems }: Described) => {
  const problem = problemOf(problems, name);
  return (
    <>
      {hint && (
        <p class="soft small" id={`${idOf(name)}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${idOf(name)}-problem`}>
          {problem}
        </p>
      )}
    </>
  );
};

const Labelled = ({ children, ...described }: Described & { readonly children: ComponentChildren }) => (
  <div class="field">
    <label for={idOf(described.name)} dir="auto">
      {described.label}
    </label>
    {children}
    <Notes {...described} />
  </div>
);

interface Typed extends Described {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const TextInput = ({
  value,
  onChange,
  type = 'text',
  maxLength,
  inputMode,
  ...described
}: Typed & {
  readonly type?: 'text' | 'url' | 'email' | 'tel' | 'date' | 'datetime-local' | 'time';
  readonly maxLength?: number;
  readonly inputMode?: 'decimal';
}) => (
  <Labelled {...described}>
    <input
      {...attributesOf(described)}
      // The types of Preact take one type of input at a time.
      {...({ type } as object)}
      value={value}
      dir={type === 'text' ? 'auto' : undefined}
      autocomplete="off"
      {...(maxLength !== undefined && { maxLength })}
      {...(inputMode && { inputMode })}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </Labelled>
);

export const LongTextInput = ({
  value,
  onChange,
  rows,
  maxLength,
  ...described
}: Typed & { readonly rows: number; readonly maxLength?: number }) => (
  <Labelled {...described}>
    <textarea
      {...attributesOf(described)}
      rows={rows}
      value={value}
      dir="auto"
      {...(maxLength !== undefined && { maxLength })}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </Labelled>
);

/** A number; what is none is sent as it is typed, so that the service says what is wrong. */
export const NumberInput = ({
  value,
  onChange,
  ...described
}: Described & { readonly value: unknown; readonly onChange: (value: number | string) => void }) => {
  const [text, setText] = useState(value === undefined || value === null ? '' : String(value));
  const change = (next: string): void => {
    setText(next);
    const isNumber = next.trim() !== '' && Number.isFinite(Number(next));
    onChange(isNumber ? Number(next) : next.trim());
  };
  return <TextInput {...described} value={text} inputMode="decimal" onChange={change} />;
};

const LINE = '\n';

const linesOf = (text: string): string[] =>
  text
    .split(LINE)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** A list of texts, each on a line or between commas; a comma in one of them is written `\,`. */
export const ListInput = ({
  value,
  onChange,
  separator,
  ...described
}: Described & {
  readonly value: readonly string[];
  readonly separator: ',' | '\n';
  readonly onChange: (value: readonly string[]) => void;
}) => {
  const [text, setText] = useState(
    separator === ',' ? value.map((one) => joinWithCommas([one])).join(', ') : value.join(LINE),
  );
  const change = (next: string): void => {
    setText(next);
    onChange(separator === ',' ? splitAtCommas(next) : linesOf(next));
  };
  return separator === ',' ? (
    <TextInput {...described} value={text} onChange={change} />
  ) : (
    <LongTextInput {...described} value={text} rows={3} onChange={change} />
  );
};

export type Option = readonly [value: string, label: string];

export const SelectInput = ({
  value,
  onChange,
  options,
  ...described
}: Typed & { readonly options: readonly Option[] }) => (
  <Labelled {...described}>
    <select {...attributesOf(described)} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([one, label]) => (
        <option key={one} value={one}>
          {label}
        </option>
      ))}
    </select>
  </Labelled>
);

/** Above this number of options a search field narrows them. */
const SEARCHED_FROM = 16;

/** A choice of several options. */
export const ChoicesInput = ({
  value,
  onChange,
  options,
  max,
  ...described
}: Described & {
  readonly value: readonly string[];
  readonly options: readonly Option[];
  readonly max?: number;
  readonly onChange: (value: readonly string[]) => void;
}) => {
  const [search, setSearch] = useState('');
  const { id, name, ...attributes } = attributesOf({ ...described, isRequired: false });
  const shown = options.filter(
    ([one, label]) => value.includes(one) || label.toLocaleLowerCase().includes(search.trim().toLocaleLowerCase()),
  );
  const isFull = max !== undefined && value.length >= max;
  return (
    <fieldset class="field choices" {...attributes} id={id}>
      <legend dir="auto">{described.label}</legend>
      {options.length >= SEARCHED_FROM && (
        <input
          type="search"
          aria-label={t('submit.choices.search', { label: described.label })}
          placeholder={t('submit.choices.placeholder')}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <div class="choice-list">
        {shown.map(([one, label], index) => (
          <label key={one} class="choice">
            <input
              type="checkbox"
              name={index === 0 ? name : undefined}
              checked={value.includes(one)}
              disabled={isFull && !value.includes(one)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...value, one] : value.filter((other) => other !== one))
              }
            />
            <span dir="auto">{label}</span>
          </label>
        ))}
      </div>
      <Notes {...described} />
    </fieldset>
  );
};
