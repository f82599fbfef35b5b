import { useState } from 'react';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

export interface MergedField {
  readonly name: string;
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
  /** Whether the field was changed here; the other version is chosen at first otherwise. */
  readonly isMine: boolean;
}

/** After a 412: both versions, to choose from for each field. @param onSave gets the names of the fields to take from here. */
export const MergeDialog = ({
  fields,
  onSave,
  onClose,
}: {
  readonly fields: readonly MergedField[];
  readonly onSave: (mine: ReadonlySet<string>) => void;
  readonly onClose: () => void;
}) => {
  const [mine, setMine] = useState<ReadonlySet<string>>(
    () => new Set(fields.filter(({ isMine }) => isMine).map(({ name }) => name)),
  );
  const choose = (name: string, isMine: boolean) => {
    const next = new Set(mine);
    if (isMine) next.add(name);
    else next.delete(name);
    setMine(next);
  };
  return (
    <Dialog title={strings.merge.heading} isWide onClose={onClose}>
      <p>{strings.merge.text}</p>
      {fields.map(({ name, label, mine: own, theirs }) => (
        <fieldset key={name} className="merge-field">
          <legend className="label">{label}</legend>
          {([true, false] as const).map((isMine) => (
            <div key={String(isMine)} className="stack tight">
              <span>
                <Button isPressed={mine.has(name) === isMine} onClick={() => choose(name, isMine)}>
                  {isMine ? strings.merge.mine : strings.merge.theirs}
                </Button>
              </span>
              <p className="prose" dir="auto">
                {(isMine ? own : theirs) || <span className="soft">{strings.fields.empty}</span>}
              </p>
            </div>
          ))}
        </fieldset>
      ))}
      <DialogActions>
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="primary" onClick={() => onSave(mine)}>
          {strings.actions.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
