import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Rule } from '#contract/rules.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { useCustomFields } from '../../app/custom-fields.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUnsaved } from '../../app/unsaved.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ListField, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { useInvalidFocus } from '../../components/use-invalid-focus.ts';
import * as strings from '../../strings.ts';
import {
  bodyOfDraft,
  conditionKinds,
  type Draft,
  type DraftCondition,
  draftOf,
  draftOfTemplate,
  inputOf,
  newCondition,
  type Plan,
} from './draft.ts';
import { SimulationDialog } from './simulation.tsx';
import { text } from './strings.ts';

const plans = ['standard', 'premium'] as const satisfies readonly Plan[];
const actions = ['hold', 'reject', 'approve'] as const;

const ConditionFields = ({
  condition,
  number,
  errors,
  onChange,
  onRemove,
}: {
  readonly condition: DraftCondition;
  /** Its position, from 1. */
  readonly number: number;
  readonly errors: readonly string[];
  readonly onChange: (condition: DraftCondition) => void;
  /** Undefined for the only one. */
  readonly onRemove: (() => void) | undefined;
}) => {
  const { kind } = condition;
  const categories = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })), {
    isEnabled: kind === 'category_in',
    part: strings.states.parts.categories,
  });
  const fields = useCustomFields();
  const optionsOfField = fields.find(({ key }) => key === condition.field)?.options ?? [];
  const label = text.kinds[kind];
  const input = inputOf[kind];
  return (
    <li className="condition">
      <SelectField
        name="condition"
        label={`${text.condition} ${number}`}
        value={kind}
        options={conditionKinds.map((one) => [one, text.kinds[one]])}
        errors={input === 'none' ? errors : []}
        onChange={(next) => onChange({ ...condition, kind: next })}
      />
      {input === 'list' && (
        <ListField
          name="value"
          label={label}
          value={condition.list}
          errors={errors}
          {...(kind === 'category_in' && { suggestions: categories.data?.map(({ slug }) => slug) ?? [] })}
          onChange={(list) => onChange({ ...condition, list })}
        />
      )}
      {input === 'field' && (
        <>
          <SelectField
            name="field"
            label={text.field}
            value={condition.field}
            options={[['', text.chooseField], ...fields.map((one) => [one.key, one.label] as const)]}
            errors={errors}
            onChange={(field) => onChange({ ...condition, field, list: [] })}
          />
          <ListField
            name="value"
            label={label}
            value={condition.list}
            suggestions={optionsOfField.map(({ value }) => value)}
            labelOf={(value) => optionsOfField.find((one) => one.value === value)?.label ?? value}
            onChange={(list) => onChange({ ...condition, list })}
          />
        </>
      )}
      {input === 'number' && (
        <TextField
          name="value"
          label={label}
          type="number"
          value={condition.number}
          errors={errors}
          {...(kind === 'duplicate_score' && { hint: text.scoreHint, step: 'any' })}
          onChange={(value) => onChange({ ...condition, number: value })}
        />
      )}
      {input === 'plan' && (
        <SelectField
          name="value"
          label={label}
          value={condition.plan}
          options={plans.map((plan) => [plan, strings.plan[plan]])}
          errors={errors}
          onChange={(plan) => onChange({ ...condition, plan })}
        />
      )}
      {onRemove && <Button kind="quiet" icon="close" label={text.removeCondition(number)} onClick={onRemove} />}
    </li>
  );
};

/** A form for a rule. A new one is saved without effect; a change of an active one is simulated first. */
export const RuleEditor = ({ rules, rule }: { readonly rules: readonly Rule[]; readonly rule: Rule | undefined }) => {
  const [, navigate] = useLocation();
  const [url] = useUrl();
  const [draft, setDraft] = useState<Draft>(() => draftOfTemplate(url.get('template')) ?? draftOf(rule));
  const [error, setError] = useState<unknown>();
  const [simulated, setSimulated] = useState<'only' | 'save'>();
  const set = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const [original] = useState(draft);
  const release = useUnsaved(JSON.stringify(draft) !== JSON.stringify(original));
  const form = useRef<HTMLFormElement>(null);
  useInvalidFocus(form, error);
  const body = bodyOfDraft(draft);
  const save = async () => {
    setError(undefined);
    try {
      if (rule) await dataOf(client.rules.update({ params: { rule: rule.id }, body }));
      else {
        const order = Math.max(0, ...rules.map((one) => one.order)) + 10;
        await dataOf(client.rules.create({ body: { ...body, is_active: false, order } }));
      }
    } catch (failure) {
      setSimulated(undefined);
      setError(failure);
      return;
    }
    notify(rule?.is_active ? text.saved(draft.name) : text.savedInactive(draft.name));
    await refresh('rules');
    release();
    navigate('/rules');
  };
  const remove = (removed: Rule) =>
    perform(async () => {
      await dataOf(client.rules.remove({ params: { rule: removed.id } }));
      const { id: _, version: __, ...fields } = removed;
      notify(text.deleted(removed.name), async () => {
        await dataOf(client.rules.create({ body: fields }));
        await refresh('rules');
      });
      release();
      navigate('/rules');
      await refresh('rules');
    });
  const changeCondition = (id: number, next: DraftCondition | undefined) =>
    set({ conditions: draft.conditions.flatMap((one) => (one.id === id ? (next ?? []) : one)) });
  // The changed rule stands where it would be tried.
  const tried = (rule ? rules : [...rules, undefined]).flatMap((one) =>
    one?.id === rule?.id ? [body] : one?.is_active ? [one] : [],
  );
  return (
    <form
      ref={form}
      className="card stack form"
      onSubmit={(event) => {
        event.preventDefault();
        if (rule?.is_active) setSimulated('save');
        else void save();
      }}
    >
      <h2>{rule ? <bdi>{rule.name}</bdi> : text.new}</h2>
      <ErrorMessage error={error} hasFields />
      <TextField
        name="name"
        value={draft.name}
        errors={fieldErrors(error, 'name')}
        onChange={(name) => set({ name })}
      />
      <SelectField
        name="match"
        label={text.match}
        value={draft.match}
        options={[
          ['all', text.matches.all],
          ['any', text.matches.any],
        ]}
        onChange={(match) => set({ match })}
      />
      <fieldset className="stack tight">
        <legend className="label">{text.conditions}</legend>
        <ol className="stack tight">
          {draft.conditions.map((condition, at) => (
            <ConditionFields
              key={condition.id}
              condition={condition}
              number={at + 1}
              errors={fieldErrors(error, 'when', draft.match, at)}
              onChange={(next) => changeCondition(condition.id, next)}
              onRemove={draft.conditions.length > 1 ? () => changeCondition(condition.id, undefined) : undefined}
            />
          ))}
        </ol>
        <div>
          <Button icon="add" onClick={() => set({ conditions: [...draft.conditions, newCondition()] })}>
            {text.addCondition}
          </Button>
        </div>
      </fieldset>
      <SelectField
        name="action"
        value={draft.action}
        options={actions.map((one) => [one, text.actions[one]])}
        hint={text.actionHints[draft.action]}
        onChange={(action) => set({ action })}
      />
      {draft.action === 'reject' && (
        <TextArea
          name="reason"
          value={draft.reason}
          hint={text.reasonHint}
          errors={fieldErrors(error, 'reason')}
          onChange={(reason) => set({ reason })}
        />
      )}
      <TextArea
        name="note"
        value={draft.note}
        rows={2}
        hint={text.noteHint}
        errors={fieldErrors(error, 'note')}
        onChange={(note) => set({ note })}
      />
      <div className="row">
        <Button kind="primary" type="submit">
          {strings.actions.save}
        </Button>
        <Button onClick={() => setSimulated('only')}>{text.simulate}</Button>
        {rule && (
          <span className="push">
            <Button kind="danger" onClick={() => void remove(rule)}>
              {strings.actions.delete}
            </Button>
          </span>
        )}
      </div>
      {simulated && (
        <SimulationDialog
          title={simulated === 'save' ? text.saveTitle(draft.name) : text.simulation}
          rules={tried}
          {...(simulated === 'save' && { action: strings.actions.save, onConfirm: save })}
          onClose={() => setSimulated(undefined)}
        />
      )}
    </form>
  );
};
