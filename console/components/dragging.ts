import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { attachClosestEdge, extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge';

export type Edge = 'before' | 'after';

const edgeOf = (data: Record<string | symbol, unknown>): Edge =>
  extractClosestEdge(data) === 'top' ? 'before' : 'after';

/**
 * Makes an element draggable, and a target for others.
 * @param onEdge gets the edge at which a dragged element would be put.
 * @returns ends both.
 */
export const attachDragging = (
  element: HTMLElement,
  id: string,
  onEdge: (edge: Edge | undefined) => void,
  onDrop: (dropped: string, edge: Edge) => void,
): (() => void) =>
  combine(
    draggable({ element, getInitialData: () => ({ id }) }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.id !== id,
      getData: ({ input }) => attachClosestEdge({ id }, { element, input, allowedEdges: ['top', 'bottom'] }),
      onDrag: ({ self }) => onEdge(edgeOf(self.data)),
      onDragLeave: () => onEdge(undefined),
      onDrop: ({ source, self }) => {
        onEdge(undefined);
        onDrop(String(source.data.id), edgeOf(self.data));
      },
    }),
  );
