import type { RefObject } from 'react';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/fields.tsx';
import * as strings from '../../strings.ts';

/** Fills in the placeholders of a saved reply. Unknown ones stay as they are. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);

/** The reason of a rejection, typed or from a saved reply. */
export const ReasonField = ({
  value,
  onChange,
  values,
  errors,
  inputRef,
  onConfirm,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The values of placeholders. */
  readonly values: Readonly<Record<string, string>>;
  readonly errors: readonly string[];
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  /** `Ctrl Enter`. */
  readonly onConfirm: () => void;
}) => {
  const replies = useResource(['replies'], (signal) => dataOf(client.replies.list({ signal })), {
    part: strings.states.parts.replies,
  });
  return (
    <div className="reason">
      <TextArea
        name="reason"
        value={value}
        rows={2}
        errors={errors}
        hint={strings.queue.confirmReject}
        inputRef={inputRef}
        onChange={onChange}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onConfirm();
          } else if (event.key === 'Escape') inputRef.current?.blur();
        }}
      />
      {replies.data && replies.data.length > 0 && (
        <Field name="saved_replies" label={strings.queue.savedReplies}>
          {(control) => (
            <select
              {...control}
              className="input"
              value=""
              onChange={(event) => {
                const reply = replies.data.find(({ id }) => id === event.target.value);
                if (reply) onChange(filled(reply.text, values));
                inputRef.current?.focus();
              }}
            >
              <option value="">{strings.queue.chooseReply}</option>
              {replies.data.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  );
};

/** The actions on the open item. */
export const DecisionButtons = ({
  isBusy,
  onApprove,
  onReject,
  onEdit,
  onSkip,
}: {
  readonly isBusy: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onEdit: () => void;
  readonly onSkip: () => void;
}) => (
  <div className="row">
    <Button kind="primary" hint="a" isDisabled={isBusy} onClick={onApprove}>
      {strings.actions.approve}
    </Button>
    <Button kind="danger" hint="r" isDisabled={isBusy} onClick={onReject}>
      {strings.actions.reject}
    </Button>
    <Button hint="e" isDisabled={isBusy} onClick={onEdit}>
      {strings.actions.edit}
    </Button>
    <Button hint="s" onClick={onSkip}>
      {strings.actions.skip}
    </Button>
  </div>
);
