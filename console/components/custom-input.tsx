import type { Field } from '#contract/custom-fields.ts';
import type { Typed } from '../app/custom-fields.ts';
import * as strings from '../strings.ts';
import { Choices } from './choices.tsx';
import { SelectField, TextArea, TextField } from './fields.tsx';
import { later } from './lazy.tsx';

const HoursInput = later(async () => (await import('./hours-input.tsx')).HoursInput);

const inputTypes = { url: 'url', email: 'email', phone: 'tel', date: 'date' } as const;

const typeOfInput = (type: Field['type']) =>
  type in inputTypes ? inputTypes[type as keyof typeof inputTypes] : 'text';

/** The input of one further field, by its type. */
export const CustomInput = ({
  field,
  value,
  errors,
  onChange,
}: {
  readonly field: Field;
  readonly value: Typed;
  readonly errors: readonly string[];
  readonly onChange: (value: Typed) => void;
}) => {
  const label = field.unit ? `${field.label} (${field.unit})` : field.label;
  const common = { name: `fields.${field.key}`, label, errors, ...(field.help && { hint: field.help }) };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const options = field.options.map((one) => [one.value, one.label] as const);
  switch (field.type) {
    case 'long_text':
      return <TextArea {...common} value={text} onChange={onChange} />;
    case 'select':
      return (
        <SelectField {...common} value={text} options={[['', strings.fields.none], ...options]} onChange={onChange} />
      );
    case 'multi_select':
      return (
        <Choices
          legend={label}
          options={options}
          value={Array.isArray(value) ? value : []}
          errors={errors}
          onChange={(chosen) => onChange([...chosen])}
        />
      );
    case 'boolean':
      return (
        <SelectField
          {...common}
          value={typeof value === 'boolean' ? String(value) : ''}
          options={[
            ['', strings.fields.none],
            ['true', strings.fields.yes],
            ['false', strings.fields.no],
          ]}
          onChange={(chosen) => onChange(chosen === '' ? null : chosen === 'true')}
        />
      );
    case 'hours':
      return (
        <HoursInput
          label={label}
          value={typeof value === 'object' && !Array.isArray(value) ? value : null}
          errors={errors}
          onChange={onChange}
        />
      );
    default:
      return <TextField {...common} type={typeOfInput(field.type)} value={text} onChange={onChange} />;
  }
};
