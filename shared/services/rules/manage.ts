import type { Rule, RuleBody, RuleUpdate } from '#contract/rules.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { allRules, deleteRule, findRule, insertRule, replaceRule } from '#data/rules.ts';
import { byOrder, type RuleRecord } from '#model/rule.ts';
import { newId } from '#platform/ids.ts';
import { notFound } from '#shared/errors.ts';
import { withCurrentCategories } from './current-categories.ts';

/** All rules in the order in which they are tried. */
export const listRules = async (): Promise<Rule[]> => (await allRules()).toSorted(byOrder);

/** A body with the current categories in place of merged ones. */
const resolved = async <B extends RuleUpdate>(body: B): Promise<B> => {
  if (!body.when) return body;
  const [{ when } = body] = await withCurrentCategories([{ when: body.when }]);
  return { ...body, when };
};

/** @throws 400 when there are too many. */
export const createRule = async (body: RuleBody): Promise<Rule> => {
  const rule: RuleRecord = {
    ...(await resolved(body)),
    id: newId('rul'),
    version: 1,
    reason: body.reason || null,
    note: body.note || null,
  };
  await insertRule(rule);
  return rule;
};

/** @throws 404. */
export const getRule = async (id: string): Promise<RuleRecord> => {
  const rule = await findRule(id);
  if (!rule) throw notFound();
  return rule;
};

/** Changes the given fields of a rule. @throws 404. */
export const updateRule = (id: string, body: RuleUpdate): Promise<Rule> =>
  retryOnConflict(async () => {
    const previous = await getRule(id);
    const { when } = await resolved(body);
    const next: RuleRecord = {
      id,
      version: previous.version + 1,
      name: body.name ?? previous.name,
      is_active: body.is_active ?? previous.is_active,
      order: body.order ?? previous.order,
      when: when ?? previous.when,
      action: body.action ?? previous.action,
      reason: body.reason === undefined ? previous.reason : body.reason || null,
      note: body.note === undefined ? previous.note : body.note || null,
    };
    await replaceRule(previous, next);
    return next;
  });

/** @throws 404. */
export const removeRule = async (id: string): Promise<string> => {
  if (!(await deleteRule(id))) throw notFound();
  return id;
};
