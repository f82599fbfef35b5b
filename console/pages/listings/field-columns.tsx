import type { Field, FieldOrder } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { Button } from '../../components/button.tsx';
import { CustomValueText, textOfCustom } from '../../components/custom-value.tsx';
import type { Column } from '../../components/table.tsx';
import { formatDay } from '../../format.ts';
import * as strings from '../../strings.ts';
import { type Filters, HAS_VALUE } from './query.ts';
import { fieldFilters as text } from './strings.ts';

/** The columns of further fields. @param onSort undefined resets the order. */
export const fieldColumns = (
  fields: readonly Field[],
  sort: Filters['sort'],
  onSort: (sort: FieldOrder) => void,
): readonly Column<Project>[] =>
  fields.map((field) => {
    const [ascending, descending] = [`fields.${field.key}`, `-fields.${field.key}`] as const;
    return {
      id: ascending,
      label: field.label,
      kind: field.type === 'number' ? 'end minor' : 'minor',
      cell: ({ fields: values, truncated }) => {
        const value = values?.[field.key];
        // The list leaves values out of one that is too large.
        if (value === undefined) return truncated ? '…' : '–';
        return (
          <span className="truncate short" title={textOfCustom(value, field)} dir="auto">
            <CustomValueText value={value} field={field} />
          </span>
        );
      },
      ...(field.sortable && {
        onSort: () => onSort(sort === descending ? ascending : descending),
        isSorted: sort === ascending ? 'ascending' : sort === descending ? 'descending' : undefined,
      }),
    };
  });

/** The orders by further fields, with their names. */
export const fieldOrders = (fields: readonly Field[]): readonly (readonly [FieldOrder, string])[] =>
  fields.flatMap(({ key, label, sortable }) =>
    sortable
      ? ([
          [`-fields.${key}`, text.descending(label)],
          [`fields.${key}`, text.ascending(label)],
        ] as const)
      : [],
  );

/** A filter in words. */
const textOfFilter = (field: Field | undefined, value: string): string => {
  if (value === HAS_VALUE) return text.hasValue;
  if (field?.type === 'hours' && value === 'open') return text.open;
  if (field?.type === 'boolean') {
    return value
      .split(',')
      .map((one) => textOfCustom(one === 'true'))
      .join(', ');
  }
  if (field?.type === 'select') return textOfCustom(value.split(','), field);
  if (field?.type === 'multi_select') {
    const [, all, options = ''] = /^(all:)?(.*)$/s.exec(value) ?? [];
    return textOfCustom(options.split(','), field) + (all ? ` (${text.everyOne})` : '');
  }
  if (field?.type === 'date') return value.replaceAll(/\d{4}-\d\d-\d\d/g, formatDay).replace('..', ' – ');
  return field?.type === 'number' ? value.replace('..', ' – ') : value;
};

/** The filters by further fields that are set, each with a button that removes it; also those of fields that are gone. */
export const FieldChips = ({
  fields,
  filters,
  onRemove,
}: {
  readonly fields: readonly Field[];
  readonly filters: Filters['fields'];
  readonly onRemove: (key: string) => void;
}) => (
  <ul className="chips lead">
    {Object.entries(filters).map(([key, value]) => {
      const field = fields.find((one) => one.key === key);
      const label = field?.label ?? key;
      return (
        <li key={key} className="chip">
          <bdi>{`${label}: ${textOfFilter(field, value)}`}</bdi>
          <Button
            kind="quiet"
            icon="close"
            label={strings.fields.remove(strings.fields.filter(label))}
            onClick={() => onRemove(key)}
          />
        </li>
      );
    })}
  </ul>
);
