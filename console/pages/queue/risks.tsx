import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProjectDossier } from '#contract/projects.ts';
import { knownDossier, useDossier } from '../../app/listings.ts';
import { Badge } from '../../components/badge.tsx';
import { words } from '../../format.ts';
import { type Item, projectOf } from './items.ts';
import { text } from './strings.ts';

/** From this similarity on, a listing counts as a duplicate; below, listings of one subject are alike. */
const DUPLICATE_SCORE = 0.5;

/** The most similar listing, when it is a duplicate. */
export const duplicateOf = ({ duplicates }: Pick<ProjectDossier, 'duplicates'>) =>
  duplicates.find(({ score }) => score >= DUPLICATE_SCORE);

/** What speaks against an item, the heaviest first; signals as soon as its dossier is known. */
const risksOf = (item: Item, dossier: ProjectDossier | undefined): readonly string[] => {
  const listed = item.kind === 'submission' ? (item.project.possible_duplicates?.length ?? 0) > 0 : false;
  return [
    ...(item.kind === 'submission' && item.project.rule ? [text.rule] : []),
    ...(listed || (dossier && duplicateOf(dossier)) ? [text.duplicate] : []),
    ...(dossier?.signals ?? []).filter(({ weight }) => weight > 0).map(({ name }) => words(name)),
  ];
};

/** How much speaks against an item: a rule and a duplicate count like the heaviest signal. */
const weightOf = (item: Item, dossier: ProjectDossier | undefined): number => {
  const held = item.kind === 'submission' && item.project.rule ? 1 : 0;
  const duplicate = dossier ? (duplicateOf(dossier)?.score ?? 0) : 0;
  return (dossier?.signals ?? []).reduce((sum, { weight }) => sum + weight, held + duplicate);
};

/**
 * The items with the heaviest first, as soon as all that is known about them was read; in their own order before, so that
 * the list changes once.
 */
export const useRiskOrder = (items: readonly Item[], isEnabled: boolean): readonly Item[] => {
  const ids = items.map(projectOf);
  const { data } = useQuery({
    queryKey: ['projects', 'risks', ids],
    queryFn: async ({ signal }) => {
      const dossiers = new Map<string, ProjectDossier>();
      for (const id of ids) {
        if (signal.aborted) break;
        dossiers.set(id, await knownDossier(id));
      }
      return dossiers;
    },
    enabled: isEnabled && ids.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    if (!isEnabled || !data) return items;
    const weights = new Map(items.map((item) => [item.id, weightOf(item, data.get(projectOf(item)))]));
    return items.toSorted((one, other) => (weights.get(other.id) ?? 0) - (weights.get(one.id) ?? 0));
  }, [isEnabled, data, items]);
};

/** A badge with the heaviest risk of an item and the number of the others, which its title names. */
export const Risks = ({ item }: { readonly item: Item }) => {
  const { data } = useDossier(projectOf(item), { isEnabled: false });
  const [first, ...others] = risksOf(item, data);
  if (first === undefined) return null;
  return (
    <span title={[first, ...others].join(', ')}>
      <Badge tone="wait">
        {first}
        {others.length > 0 && ` +${others.length}`}
      </Badge>
    </span>
  );
};
