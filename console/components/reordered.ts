import type { Edge } from './use-dragging.ts';

interface Entry {
  readonly id: string;
}

/** A list with one entry at another place. */
export const movedTo = <T extends Entry>(all: readonly T[], id: string, to: number): readonly T[] => {
  const at = all.findIndex((one) => one.id === id);
  const { [at]: moved } = all;
  return moved ? all.toSpliced(at, 1).toSpliced(to, 0, moved) : all;
};

/** A list with one entry before or after another one. */
export const droppedAt = <T extends Entry>(all: readonly T[], id: string, target: string, edge: Edge): readonly T[] => {
  const others = all.filter((one) => one.id !== id);
  return movedTo(all, id, others.findIndex((one) => one.id === target) + (edge === 'after' ? 1 : 0));
};
