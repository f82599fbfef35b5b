import { useRef, useState } from 'react';
import type { Field } from '#contract/custom-fields.ts';
import { bodyOf, client, fieldErrors } from '../../api.ts';
import { Choices } from '../../components/choices.tsx';
import { Checkbox, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import * as strings from '../../strings.ts';
import { type Filters, HAS_VALUE, queryOf } from './query.ts';
import { fieldFilters as text } from './strings.ts';

const ALL_OF = 'all:';
const RANGE = '..';

interface InputProps {
  readonly field: Field;
  /** As in the query; empty for no filter. */
  readonly value: string;
  readonly errors: readonly string[];
  readonly onChange: (value: string) => void;
}

const Options = ({ field: { label, type, options }, value, errors, onChange }: InputProps) => {
  const isAll = value.startsWith(ALL_OF);
  const chosen = (isAll ? value.slice(ALL_OF.length) : value).split(',').filter(Boolean);
  const change = (next: readonly string[], isEvery: boolean) => {
    // Either any value, or some options.
    const isAny = next.includes(HAS_VALUE) && !chosen.includes(HAS_VALUE);
    const kept = next.filter((one) => one !== HAS_VALUE);
    onChange(isAny ? HAS_VALUE : `${isEvery && kept.length > 0 ? ALL_OF : ''}${kept.join(',')}`);
  };
  return (
    <div className="stack tight">
      <Choices
        legend={label}
        options={[[HAS_VALUE, text.hasValue], ...options.map((one) => [one.value, one.label] as const)]}
        value={chosen}
        errors={errors}
        onChange={(next) => change(next, isAll)}
      />
      {type === 'multi_select' && chosen.length > 1 && (
        <Checkbox label={text.everyOne} isChecked={isAll} onChange={(isEvery) => change(chosen, isEvery)} />
      )}
    </div>
  );
};

const Select = ({
  field,
  options,
  ...props
}: InputProps & { readonly options: readonly (readonly [string, string])[] }) => (
  <SelectField
    {...props}
    name={field.key}
    label={field.label}
    options={[['', strings.fields.all], ...options, [HAS_VALUE, text.hasValue]]}
  />
);

const Text = ({ field, value, errors, onChange }: InputProps) => (
  <div className="stack tight">
    <TextField
      name={field.key}
      label={field.label}
      hint={text.wholeText}
      value={value === HAS_VALUE ? '' : value}
      errors={errors}
      isDisabled={value === HAS_VALUE}
      onChange={onChange}
    />
    <HasValue label={field.label} value={value} onChange={onChange} />
  </div>
);

const HasValue = ({ label, value, onChange }: Pick<InputProps, 'value' | 'onChange'> & { readonly label: string }) => (
  <Checkbox
    label={text.hasAnyValue(label)}
    isChecked={value === HAS_VALUE}
    onChange={(isOn) => onChange(isOn ? HAS_VALUE : '')}
  />
);

const Range = ({ field, value, errors, onChange }: InputProps) => {
  const [from = '', to = from] = value === HAS_VALUE ? [''] : value.split(RANGE);
  const change = (begin: string, end: string) => onChange(begin === end ? begin : `${begin}${RANGE}${end}`);
  const common = {
    errors,
    isDisabled: value === HAS_VALUE,
    type: field.type === 'date' ? 'date' : 'number',
    ...(field.type === 'number' && { step: 'any' as const }),
  };
  const label = field.unit ? `${field.label} (${field.unit})` : field.label;
  return (
    <div className="stack tight">
      <TextField
        {...common}
        name={`${field.key}.from`}
        label={text.from(label)}
        value={from}
        onChange={(begin) => change(begin, to)}
      />
      <TextField
        {...common}
        name={`${field.key}.to`}
        label={text.to(label)}
        value={to}
        onChange={(end) => change(from, end)}
      />
      <HasValue label={field.label} value={value} onChange={onChange} />
    </div>
  );
};

const booleans = [
  ['true', strings.fields.yes],
  ['false', strings.fields.no],
] as const;

const FilterInput = (props: InputProps) => {
  switch (props.field.type) {
    case 'select':
    case 'multi_select':
      return <Options {...props} />;
    case 'boolean':
      return <Select {...props} options={booleans} />;
    case 'hours':
      return <Select {...props} options={[['open', text.open]]} />;
    case 'number':
    case 'date':
      return <Range {...props} />;
    default:
      return <Text {...props} />;
  }
};

/** The filters by further fields. @param onClose is given the filters to apply; none when they stay as they were. */
export const FieldFilterDialog = ({
  fields,
  filters,
  onClose,
}: {
  /** Those that can be filtered by. */
  readonly fields: readonly Field[];
  readonly filters: Filters;
  readonly onClose: (fields?: Filters['fields']) => void;
}) => {
  const [values, setValues] = useState(filters.fields);
  const checked = useRef<Filters['fields']>(undefined);
  const apply = async () => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
    // A wrong value is reported where it was entered.
    await bodyOf(client.projects.browse({ query: { ...queryOf({ ...filters, fields: given }), page: 1, limit: 1 } }));
    checked.current = given;
  };
  return (
    <FormDialog title={text.title} action={text.apply} isWide onSubmit={apply} onClose={() => onClose(checked.current)}>
      {(error) => (
        <div className="grid narrow">
          {fields.map((field) => (
            <FilterInput
              key={field.id}
              field={field}
              value={values[field.key] ?? ''}
              errors={fieldErrors(error, 'filter', field.key)}
              onChange={(value) => setValues({ ...values, [field.key]: value })}
            />
          ))}
        </div>
      )}
    </FormDialog>
  );
};
