import type { RefObject } from 'react';
import { client, dataOf } from '../../api.ts';
import { isMac } from '../../app/keys.tsx';
import { useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/fields.tsx';
import * as strings from '../../strings.ts';
import { filled, type PlaceholderValues, unknownPlaceholders } from './placeholders.ts';
import { text } from './strings.ts';

/** The reason of a rejection, typed or from a saved reply. */
export const ReasonField = ({
  value,
  onChange,
  values,
  errors,
  inputRef,
  onConfirm,
  onClose,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The values of placeholders; undefined for several items, whose values are filled in when they are rejected. */
  readonly values: PlaceholderValues | undefined;
  readonly errors: readonly string[];
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  /** `Ctrl Enter`. */
  readonly onConfirm: () => void;
  /** `Esc`; the dialog of several items closes by itself. */
  readonly onClose?: () => void;
}) => {
  const replies = useResource(['replies'], (signal) => dataOf(client.savedReplies.list({ signal })), {
    part: strings.states.parts.replies,
  });
  const unknown = unknownPlaceholders(value);
  return (
    <div className="reason">
      <TextArea
        name="reason"
        value={value}
        rows={2}
        errors={unknown.length > 0 ? [text.unknownPlaceholders(unknown)] : errors}
        hint={(values ? text.confirmReject : text.confirmRejectAll)(isMac ? '⌘ Enter' : 'Ctrl Enter')}
        inputRef={inputRef}
        onChange={onChange}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onConfirm();
          } else if (event.key === 'Escape') onClose?.();
        }}
      />
      {replies.data && replies.data.length > 0 && (
        <Field name="saved_replies" label={text.savedReplies}>
          {(control) => (
            <select
              {...control}
              className="input"
              value=""
              onChange={(event) => {
                const reply = replies.data.find(({ id }) => id === event.target.value);
                if (reply) onChange(values ? filled(reply.text, values) : reply.text);
                inputRef.current?.focus();
              }}
            >
              <option value="">{text.chooseReply}</option>
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
  isScheduled,
  onApprove,
  onReject,
  onEdit,
  onSkip,
}: {
  readonly isBusy: boolean;
  /** Approved for later, so that approving again makes it public now. */
  readonly isScheduled: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onEdit: () => void;
  readonly onSkip: () => void;
}) => (
  <div className="row decision">
    <Button kind="primary" hint="a" isDisabled={isBusy} onClick={onApprove}>
      {isScheduled ? text.publish : strings.actions.approve}
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
