import type { Field, Hours } from '#contract/custom-fields.ts';
import { HoursInput } from './hours-input.tsx';
import { ChoicesInput, LongTextInput, NumberInput, type Problems, SelectInput, TextInput } from './inputs.tsx';
import { t } from './messages.ts';

const inputTypes = { url: 'url', email: 'email', phone: 'tel', date: 'date', text: 'text' } as const;

/** The fields that a submitter may fill in for a listing in these categories. */
export const fieldsFor = (fields: readonly Field[], categories: readonly string[]): readonly Field[] =>
  fields.filter(
    (field) =>
      field.edit === 'owner' &&
      (field.categories.length === 0 || field.categories.some((slug) => categories.includes(slug))),
  );

/** The input of one further field, by its type. */
export const CustomInput = ({
  field,
  value,
  problems,
  onChange,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly problems: Problems;
  readonly onChange: (value: unknown) => void;
}) => {
  const name = field.unit ? `${field.label} (${field.unit})` : field.label;
  const common = {
    name: `fields.${field.key}`,
    label: field.required ? name : t('submit.optional', { label: name }),
    hint: field.help ?? undefined,
    problems,
    isRequired: field.required,
  };
  const text = typeof value === 'string' ? value : '';
  const options = field.options.map((one) => [one.value, one.label] as const);
  const none = ['', t('submit.none')] as const;
  switch (field.type) {
    case 'long_text':
      return <LongTextInput {...common} rows={4} value={text} onChange={onChange} />;
    case 'number':
      return <NumberInput {...common} value={value} onChange={onChange} />;
    case 'select':
      return <SelectInput {...common} value={text} options={[none, ...options]} onChange={onChange} />;
    case 'multi_select':
      return (
        <ChoicesInput {...common} value={Array.isArray(value) ? value : []} options={options} onChange={onChange} />
      );
    case 'boolean':
      return (
        <SelectInput
          {...common}
          value={typeof value === 'boolean' ? String(value) : ''}
          options={[none, ['true', t('field.yes')], ['false', t('field.no')]]}
          onChange={(chosen) => onChange(chosen === '' ? null : chosen === 'true')}
        />
      );
    case 'hours':
      return <HoursInput {...common} value={(value as Hours | undefined) ?? null} onChange={onChange} />;
    default:
      return <TextInput {...common} type={inputTypes[field.type]} value={text} onChange={onChange} />;
  }
};
