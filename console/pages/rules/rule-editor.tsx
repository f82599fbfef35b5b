import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Rule } from '#contract/rules.ts';
import { client, dataOf, fieldErrors } from '../../api.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh, useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ListField, SelectField, TextArea, TextField } from '../../components/fields.tsx';
import * as strings from '../../strings.ts';
import {
  bodyOfDraft,
  conditionKinds,
  type Draft,
  type DraftCondition,
  draftOf,
  inputOf,
  newCondition,
  type Plan,
} from './draft.ts';
import { SimulationDialog } from './simulation.tsx';

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
  const label = strings.rules.kinds[kind];
  const input = inputOf[kind];
  return (
    <li className="condition">
      <SelectField
        name="condition"
        label={`${strings.rules.condition} ${number}`}
        value={kind}
        options={conditionKinds.map((one) => [one, strings.rules.kinds[one]])}
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
      {input === 'number' && (
        <TextField
          name="value"
          label={label}
          type="number"
          value={condition.number}
          errors={errors}
          {...(kind === 'duplicate_score' && { hint: strings.rules.scoreHint, step: 'any' })}
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
      {onRemove && (
        <Button kind="quiet" icon="close" label={strings.rules.removeCondition(number)} onClick={onRemove} />
      )}
    </li>
  );
};

/** A form for a rule. A new one is saved without effect; a change of an active one is simulated first. */
export const RuleEditor = ({ rules, rule }: { readonly rules: readonly Rule[]; readonly rule: Rule | undefined }) => {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState<Draft>(() => draftOf(rule));
  const [error, setError] = useState<unknown>();
  const [simulated, setSimulated] = useState<'only' | 'save'>();
  const set = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
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
    notify(rule?.is_active ? strings.rules.saved(draft.name) : strings.rules.savedInactive(draft.name));
    await refresh('rules');
    navigate('/rules');
  };
  const remove = (removed: Rule) =>
    perform(async () => {
      await dataOf(client.rules.remove({ params: { rule: removed.id } }));
      const { id: _, version: __, ...fields } = removed;
      notify(strings.rules.deleted(removed.name), async () => {
        await dataOf(client.rules.create({ body: fields }));
        await refresh('rules');
      });
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
      className="card stack form"
      onSubmit={(event) => {
        event.preventDefault();
        if (rule?.is_active) setSimulated('save');
        else void save();
      }}
    >
      <h2>{rule ? <bdi>{rule.name}</bdi> : strings.rules.new}</h2>
      <ErrorMessage error={error} />
      <TextField
        name="name"
        value={draft.name}
        errors={fieldErrors(error, 'name')}
        onChange={(name) => set({ name })}
      />
      <SelectField
        name="match"
        label={strings.rules.match}
        value={draft.match}
        options={[
          ['all', strings.rules.matches.all],
          ['any', strings.rules.matches.any],
        ]}
        onChange={(match) => set({ match })}
      />
      <fieldset className="stack tight">
        <legend className="label">{strings.rules.conditions}</legend>
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
            {strings.rules.addCondition}
          </Button>
        </div>
      </fieldset>
      <SelectField
        name="action"
        value={draft.action}
        options={actions.map((one) => [one, strings.rules.actions[one]])}
        hint={strings.rules.actionHints[draft.action]}
        onChange={(action) => set({ action })}
      />
      {draft.action === 'reject' && (
        <TextArea
          name="reason"
          value={draft.reason}
          hint={strings.rules.reasonHint}
          errors={fieldErrors(error, 'reason')}
          onChange={(reason) => set({ reason })}
        />
      )}
      <TextArea
        name="note"
        value={draft.note}
        rows={2}
        hint={strings.rules.noteHint}
        errors={fieldErrors(error, 'note')}
        onChange={(note) => set({ note })}
      />
      <div className="row">
        <Button kind="primary" type="submit">
          {strings.actions.save}
        </Button>
        <Button onClick={() => setSimulated('only')}>{strings.rules.simulate}</Button>
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
          title={simulated === 'save' ? strings.rules.saveTitle(draft.name) : strings.rules.simulation}
          rules={tried}
          {...(simulated === 'save' && { action: strings.actions.save, onConfirm: save })}
          onClose={() => setSimulated(undefined)}
        />
      )}
    </form>
  );
};
