import { useState } from 'react';
import { Link } from 'wouter';
import type { Rule } from '#contract/rules.ts';
import { client, dataOf } from '../../api.ts';
import { refresh } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/states.tsx';
import * as strings from '../../strings.ts';
import { NEW, type Template, templates, textOfConditions } from './draft.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { SimulationDialog } from './simulation.tsx';
import { text } from './strings.ts';

const setActive = async (rule: Rule, isActive: boolean): Promise<void> => {
  await dataOf(client.rules.update({ params: { rule: rule.id }, body: { is_active: isActive } }));
  await refresh('rules');
};

const deactivate = (rule: Rule) =>
  perform(async () => {
    await setActive(rule, false);
    notify(text.deactivated(rule.name), () => setActive(rule, true));
  });

/** Between the numbers of neighbours, so that a rule of another client can be put in. */
const ORDER_STEP = 10;

/** Writes the numbers that differ from the positions. */
const saveOrder = async (rules: readonly Rule[]): Promise<void> => {
  for (const [at, rule] of rules.entries()) {
    const order = (at + 1) * ORDER_STEP;
    if (rule.order !== order) await dataOf(client.rules.update({ params: { rule: rule.id }, body: { order } }));
  }
  await refresh('rules');
};

/** The rules in their order. */
export const RuleList = ({ rules }: { readonly rules: readonly Rule[] }) => {
  const [, change] = useUrl();
  const [simulated, setSimulated] = useState<Rule | 'all'>();
  const [isMoving, setMoving] = useState(false);
  const move = async (at: number, step: number) => {
    const next = [...rules];
    next.splice(at + step, 0, ...next.splice(at, 1));
    setMoving(true);
    await perform(() => saveOrder(next));
    setMoving(false);
  };
  return (
    <section className="stack tight" aria-label={text.list}>
      <div className="row apart">
        <p className="soft shrink">{text.text}</p>
        <span className="row">
          {rules.some(({ is_active }) => is_active) && (
            <Button onClick={() => setSimulated('all')}>{text.simulate}</Button>
          )}
          <Button kind="primary" icon="add" onClick={() => change({ open: NEW })}>
            {text.add}
          </Button>
        </span>
      </div>
      {rules.length === 0 ? (
        <EmptyState title={text.empty}>
          <p>{text.emptyText}</p>
        </EmptyState>
      ) : (
        <ol className="card rows">
          {rules.map((rule, at) => (
            <li key={rule.id} className="row apart">
              <div className="shrink grow">
                <span className="row tight">
                  <Link href={`/rules?open=${rule.id}`} className="shrink">
                    <bdi>{rule.name}</bdi>
                  </Link>
                  <OutcomeBadge outcome={rule.action} />
                  <Badge tone={rule.is_active ? 'good' : 'neutral'}>
                    {rule.is_active ? text.active : text.inactive}
                  </Badge>
                </span>
                <p className="soft clamped shrink">{textOfConditions(rule)}</p>
              </div>
              <span className="row tight">
                {rule.is_active ? (
                  <Button onClick={() => void deactivate(rule)}>{text.deactivate}</Button>
                ) : (
                  <Button onClick={() => setSimulated(rule)}>{text.activate}</Button>
                )}
                <Button
                  icon="up"
                  label={strings.actions.moveUp}
                  isDisabled={isMoving || at === 0}
                  onClick={() => void move(at, -1)}
                />
                <Button
                  icon="down"
                  label={strings.actions.moveDown}
                  isDisabled={isMoving || at === rules.length - 1}
                  onClick={() => void move(at, 1)}
                />
              </span>
            </li>
          ))}
        </ol>
      )}
      <section className="stack tight">
        <h2>{text.fromTemplate}</h2>
        <ul className="row">
          {(Object.keys(templates) as Template[]).map((name) => (
            <li key={name}>
              <Button icon="add" onClick={() => change({ open: NEW, template: name })}>
                {text.templates[name]}
              </Button>
            </li>
          ))}
        </ul>
      </section>
      {simulated === 'all' && (
        <SimulationDialog
          title={text.simulation}
          rules={rules.filter(({ is_active }) => is_active)}
          onClose={() => setSimulated(undefined)}
        />
      )}
      {simulated !== undefined && simulated !== 'all' && (
        <SimulationDialog
          title={text.activateTitle(simulated.name)}
          rules={rules.filter(({ id, is_active }) => is_active || id === simulated.id)}
          action={text.activate}
          onConfirm={async () => {
            await setActive(simulated, true);
            notify(text.activated(simulated.name), () => setActive(simulated, false));
          }}
          onClose={() => setSimulated(undefined)}
        />
      )}
    </section>
  );
};
