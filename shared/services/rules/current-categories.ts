import type { RuleConditions } from '#contract/rules.ts';
import { aliasedSlugs } from '#data/categories.ts';

const withReplaced = (when: RuleConditions, aliases: ReadonlyMap<string, string | null>): RuleConditions => {
  const replaced = (conditions: RuleConditions['all']) =>
    conditions?.map((condition) =>
      condition.category_in
        ? { category_in: [...new Set(condition.category_in.map((slug) => aliases.get(slug) ?? slug))] }
        : condition,
    );
  const { all, any } = when;
  return { ...(all && { all: replaced(all) }), ...(any && { any: replaced(any) }) };
};

/** Rules with the current categories in place of merged ones. */
export const withCurrentCategories = async <R extends { readonly when: RuleConditions }>(
  rules: readonly R[],
): Promise<readonly R[]> => {
  const conditions = rules.flatMap(({ when: { all = [], any = [] } }) => [...all, ...any]);
  if (!conditions.some(({ category_in }) => category_in)) return rules;
  const aliases = await aliasedSlugs();
  return aliases.size === 0 ? rules : rules.map((rule) => ({ ...rule, when: withReplaced(rule.when, aliases) }));
};
