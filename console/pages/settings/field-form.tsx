import { useState } from 'react';
import type { AdminField, FieldBody } from '#contract/custom-fields.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { useCategories } from '../../app/listings.ts';
import { refresh } from '../../app/queries.ts';
import { notify } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Checkbox, ListField, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { fields as text } from './strings.ts';

type Type = AdminField['type'];
type Flag = keyof typeof text.flags;

const types = Object.entries(text.types) as [Type, string][];

const hasOptions = (type: Type): boolean => type === 'select' || type === 'multi_select';

interface Option {
  readonly id: number;
  readonly value: string;
  readonly label: string;
}

interface Draft {
  readonly key: string;
  readonly type: Type;
  readonly label: string;
  readonly help: string;
  readonly unit: string;
  readonly min: string;
  readonly max: string;
  readonly options: readonly Option[];
  readonly categories: readonly string[];
  readonly access: AdminField['access'];
  readonly edit: AdminField['edit'];
  readonly flags: readonly Flag[];
}

const flagNames = Object.keys(text.flags) as Flag[];

/** The types that may have a flag; all for the others. */
const typesWith: Partial<Readonly<Record<Flag, readonly Type[]>>> = {
  filterable: ['text', 'number', 'select', 'multi_select', 'boolean', 'date', 'hours'],
  sortable: ['number', 'boolean', 'date'],
};

const flagsFor = (type: Type): readonly Flag[] => flagNames.filter((flag) => typesWith[flag]?.includes(type) ?? true);

const draftOf = (field: AdminField | undefined): Draft => ({
  key: field?.key ?? '',
  type: field?.type ?? 'text',
  label: field?.label ?? '',
  help: field?.help ?? '',
  unit: field?.unit ?? '',
  min: String(field?.min ?? ''),
  max: String(field?.max ?? ''),
  options: field?.options.map((option, id) => ({ id, ...option })) ?? [],
  categories: field?.categories ?? [],
  access: field?.access ?? 'public',
  edit: field?.edit ?? 'owner',
  flags: field ? flagNames.filter((flag) => field[flag]) : [],
});

const keyFrom = (label: string): string =>
  label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 40);

const valueFrom = (label: string): string => keyFrom(label).replaceAll('_', '-');

const bound = (typed: string): number | string | null =>
  typed.trim() === '' ? null : Number.isFinite(Number(typed)) ? Number(typed) : typed;

/** Only members that the type may have are sent with a value. */
const bodyOf = ({
  key,
  type,
  label,
  help,
  unit,
  min,
  max,
  options,
  categories,
  access,
  edit,
  flags,
}: Draft): FieldBody =>
  ({
    key: key || keyFrom(label),
    type,
    label,
    help: help || null,
    unit: type === 'number' ? unit || null : null,
    min: type === 'number' ? bound(min) : null,
    max: type === 'number' ? bound(max) : null,
    options: hasOptions(type)
      ? options.map((option) => ({ value: option.value || valueFrom(option.label), label: option.label }))
      : [],
    categories: [...categories],
    access,
    edit: access === 'staff' ? 'staff' : edit,
    ...Object.fromEntries(flagNames.map((flag) => [flag, flags.includes(flag) && flagsFor(type).includes(flag)])),
  }) as FieldBody;

const Options = ({
  options,
  errorsAt,
  onChange,
}: {
  readonly options: readonly Option[];
  readonly errorsAt: (at: number, name: string) => readonly string[];
  readonly onChange: (options: readonly Option[]) => void;
}) => (
  <fieldset className="stack tight">
    <legend className="label">{text.options}</legend>
    <p className="soft small">{text.optionsHint}</p>
    {options.map((option, at) => {
      const set = (patch: Partial<Option>) =>
        onChange(options.map((one) => (one.id === option.id ? { ...one, ...patch } : one)));
      return (
        <div key={option.id} className="row end-aligned">
          <TextField
            name="label"
            label={text.optionLabel(at + 1)}
            value={option.label}
            errors={errorsAt(at, 'label')}
            onChange={(label) => set({ label })}
          />
          <TextField
            name="value"
            label={text.optionValue(at + 1)}
            value={option.value}
            placeholder={valueFrom(option.label)}
            errors={errorsAt(at, 'value')}
            onChange={(value) => set({ value })}
          />
          <Button
            kind="quiet"
            icon="close"
            label={text.removeOption(option.label || String(at + 1))}
            onClick={() => onChange(options.filter(({ id }) => id !== option.id))}
          />
        </div>
      );
    })}
    <div>
      <Button
        icon="add"
        onClick={() => onChange([...options, { id: (options.at(-1)?.id ?? 0) + 1, value: '', label: '' }])}
      >
        {text.addOption}
      </Button>
    </div>
  </fieldset>
);

/** A form for the definition of a field. A change that would hide values says first of how many listings. */
export const FieldForm = ({
  field,
  onClose,
}: {
  readonly field: AdminField | undefined;
  readonly onClose: () => void;
}) => {
  const [draft, setDraft] = useState<Draft>(() => draftOf(field));
  const [hidden, setHidden] = useState<number>();
  const { slugs, nameOf } = useCategories();
  const set = (patch: Partial<Draft>) => {
    setHidden(undefined);
    setDraft({ ...draft, ...patch });
  };

  const update = async ({ id, etag }: AdminField): Promise<void> => {
    const { key: _, type: __, ...body } = bodyOf(draft);
    await dataOf(client.fields.update({ params: { field: id }, body, headers: { 'if-match': etag } }));
  };
  const count = async ({ id, etag }: AdminField): Promise<void> => {
    const { key: _, type: __, ...body } = bodyOf(draft);
    const found = await dataOf(
      client.fields.update({ params: { field: id }, query: { dry_run: true }, body, headers: { 'if-match': etag } }),
    );
    if ('dry_run' in found) setHidden(found.listings);
  };
  const save = async () => {
    if (field) await update(field);
    else await dataOf(client.fields.create({ body: bodyOf(draft) }));
    notify(text.saved(draft.label));
    await refresh('fields', 'projects');
  };

  return (
    <FormDialog
      title={field ? text.edit(field.label) : text.new}
      action={strings.actions.save}
      isWide
      {...(field && { preview: { action: strings.actions.dryRun, run: () => count(field) } })}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => {
        const line = (name: 'label' | 'key' | 'help' | 'unit' | 'min' | 'max') => ({
          name,
          value: draft[name],
          errors: fieldErrors(error, name),
          onChange: (value: string) => set({ [name]: value }),
        });
        return (
          <>
            <div className="grid">
              <TextField {...line('label')} />
              <TextField
                {...line('key')}
                hint={text.keyHint}
                isDisabled={field !== undefined}
                placeholder={keyFrom(draft.label)}
              />
              <SelectField
                name="type"
                value={draft.type}
                options={types}
                hint={text.typeHint}
                isDisabled={field !== undefined}
                errors={fieldErrors(error, 'type')}
                onChange={(type) => set({ type })}
              />
            </div>
            {draft.type === 'number' && (
              <div className="grid narrow">
                <TextField {...line('unit')} hint={text.unitHint} />
                <TextField {...line('min')} />
                <TextField {...line('max')} />
              </div>
            )}
            {hasOptions(draft.type) && (
              <Options
                options={draft.options}
                errorsAt={(at, name) => fieldErrors(error, 'options', at, name)}
                onChange={(options) => set({ options })}
              />
            )}
            <TextArea {...line('help')} rows={2} />
            <ListField
              name="categories"
              value={draft.categories}
              suggestions={slugs}
              labelOf={nameOf}
              hint={text.categoriesHint}
              errors={fieldErrors(error, 'categories')}
              onChange={(categories) => set({ categories })}
            />
            <div className="grid">
              <SelectField
                name="access"
                label={text.accessLabel}
                value={draft.access}
                options={Object.entries(text.access) as [Draft['access'], string][]}
                onChange={(access) => set({ access })}
              />
              <SelectField
                name="edit"
                label={text.editLabel}
                value={draft.access === 'staff' ? 'staff' : draft.edit}
                options={Object.entries(text.edit_by) as [Draft['edit'], string][]}
                isDisabled={draft.access === 'staff'}
                onChange={(edit) => set({ edit })}
              />
            </div>
            <fieldset className="stack tight">
              <legend className="label">{text.uses}</legend>
              {flagsFor(draft.type).map((flag) => (
                <Checkbox
                  key={flag}
                  label={text.flags[flag]}
                  isChecked={draft.flags.includes(flag)}
                  onChange={(isOn) =>
                    set({ flags: isOn ? [...draft.flags, flag] : draft.flags.filter((one) => one !== flag) })
                  }
                />
              ))}
            </fieldset>
            {hidden !== undefined && (
              <p className="message" role="status">
                {text.changeText(formatNumber(hidden), hidden)}
              </p>
            )}
          </>
        );
      }}
    </FormDialog>
  );
};
