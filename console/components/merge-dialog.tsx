import { useState } from 'react';
import { words } from '../format.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { FieldValue } from './field-value.tsx';

export interface Conflict {
  readonly field: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** Shows both versions of the fields that two people have changed, and asks which to keep. */
export const MergeDialog = ({
  conflicts,
  onMerge,
  onClose,
}: {
  readonly conflicts: readonly Conflict[];
  /** @param theirs the fields whose other version is kept. */
  readonly onMerge: (theirs: ReadonlySet<string>) => void;
  readonly onClose: () => void;
}) => {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (field: string, isTheirs: boolean) => {
    const next = new Set(theirs);
    if (isTheirs) next.add(field);
    else next.delete(field);
    setTheirs(next);
  };
  return (
    <Dialog title={strings.merge.heading} isWide onClose={onClose}>
      <p>{strings.merge.text}</p>
      {conflicts.map(({ field, mine, theirs: other }) => (
        <fieldset key={field} className="stack tight">
          <legend className="label">{words(field)}</legend>
          <div className="grid">
            {(['mine', 'theirs'] as const).map((side) => (
              <label key={side} className="card stack tight">
                <span className="check">
                  <input
                    type="radio"
                    name={`merge-${field}`}
                    checked={theirs.has(field) === (side === 'theirs')}
                    onChange={() => choose(field, side === 'theirs')}
                  />
                  {strings.merge[side]}
                </span>
                <FieldValue value={side === 'mine' ? mine : other} />
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <DialogActions>
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="primary" onClick={() => onMerge(theirs)}>
          {strings.actions.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
