import { useEffect, useRef, useState } from 'react';
import { loadScript } from '../app/load-script.ts';
import type { Edge } from './dragging.ts';
import { useLatest } from './use-latest.ts';

export type { Edge };

/** Makes a row draggable, and a target for others. @returns its reference, and the edge at which a dragged row would be put. */
export const useDragging = (id: string, onDrop: (id: string, target: string, edge: Edge) => void) => {
  const row = useRef<HTMLLIElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const drop = useLatest(onDrop);
  useEffect(() => {
    const { current: element } = row;
    if (!element) return undefined;
    let isGone = false;
    let detach: (() => void) | undefined;
    const attach = async () => {
      const { attachDragging } = await loadScript(() => import('./dragging.ts'));
      if (isGone) return;
      detach = attachDragging(element, id, setEdge, (dropped, at) => drop.current(dropped, id, at));
    };
    // The buttons work until the script has arrived, and without it.
    attach().catch(() => undefined);
    return () => {
      isGone = true;
      detach?.();
    };
  }, [id, drop]);
  return [row, edge] as const;
};
